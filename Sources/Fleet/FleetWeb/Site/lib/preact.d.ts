// The parts of Preact and htm that the app uses (one module, see scripts/web-requirements.txt).
export type Node = any;
export function h(type: any, props: any, ...children: any[]): Node;
export function html(parts: TemplateStringsArray, ...values: any[]): Node;
export function render(node: Node, parent: Element): void;
export function createContext<T>(value: T): any;
export function useState<T>(initial: T | (() => T)): [T, (value: T | ((old: T) => T)) => void];
export function useEffect(effect: () => void | (() => void), inputs?: any[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: any[]): void;
export function useRef<T>(initial: T): { current: T };
export function useMemo<T>(make: () => T, inputs: any[]): T;
export function useCallback<T>(callback: T, inputs: any[]): T;
export class Component { props: any; state: any; setState(state: any): void; render(...values: any[]): Node }
