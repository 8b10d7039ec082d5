#compdef obdgated
_arguments \
  '--config[what to do (JSON)]:file:_files' \
  '--check[only say whether the configuration is right]' \
  '--version[say which version this is]' \
  '(-h --help)'{-h,--help}'[show how it is used]'
