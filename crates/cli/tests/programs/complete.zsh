# What zsh offers after the line $2, with the completions of the folder $1: typed in an interactive
# shell, which lists the choices.
zmodload zsh/zpty
zpty shell zsh -f -i
answer() {
    local line
    seen=''
    until [[ $seen == *$1* ]]; do
        zpty -r shell line || exit 1
        seen+=$line
    done
}
# The marks are written so that the shell's own echo of the line does not hold them.
zpty -w shell "PS1='' LISTMAX=1000; stty columns 200; setopt no_beep; bindkey -e"
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"
answer ready
zpty -w shell "bindkey '^X' list-choices; echo bou''nd"
answer bound
setopt extended_glob
zpty -n -w shell "$2"$'\C-x\C-a\C-k'"echo do''ne"$'\n'
answer done
print -r -- ${seen//$'\e'\[[0-9;?]#[[:alpha:]]/ }
