#!/bin/sh
# rustc for build.mjs (cargo's RUSTC_WRAPPER): cargo tells the packages of this repository apart by their folders, of which
# the names of symbols, and so the bytes of a module, depend. Here they are told apart by their names.

name='' before=''
for option; do
    [ "$before" = --crate-name ] && name=$option
    before=$option
done
case $name in
    emilia*)
        for option; do
            shift
            case $option in
                metadata=*) option=metadata=$name ;;
            esac
            set -- "$@" "$option"
        done
        ;;
esac
exec "$@"
