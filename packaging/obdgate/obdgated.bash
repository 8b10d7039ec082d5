# bash completion of obdgated
_obdgated() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  if [ "$previous" = --config ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W '--config --check --version --help' -- "$current")
  fi
}
complete -o filenames -F _obdgated obdgated
