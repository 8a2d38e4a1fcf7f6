package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
)

// A completion script is generated from kong's model of the command line. The existing completion
// libraries for kong have not been updated since 2022, and they start the program at every
// completion. A generated script does not start the program.

type completionCmd struct {
	Shell string `arg:"" help:"One of ${enum}." enum:"bash,zsh,fish"`
}

// Run prints the script.
func (c *completionCmd) Run(k *kong.Context, s *session.Session) error {
	l := completed(k.Model)
	print := map[string]func(line) string{"bash": line.bash, "zsh": line.zsh, "fish": line.fish}[c.Shell]
	_, err := io.WriteString(s.Raw, print(l))
	return err
}

// line is the set of words that a command line may contain.
type line struct {
	flags    []flagWord // of all commands
	commands []command
}

type command struct {
	name, help string
	flags      []flagWord
	words      []string // choices for the first argument; if empty, it is a file
}

type flagWord struct {
	name   string
	short  string // one letter, or ""
	help   string
	value  string   // placeholder of its value, or "" for a flag without a value
	values []string // allowed values; nil means any value
}

func completed(app *kong.Application) line {
	l := line{flags: flagsOf(app.Flags)}
	for _, n := range app.Children {
		if n.Hidden {
			continue
		}
		c := command{name: n.Name, help: n.Help, flags: flagsOf(n.Flags)}
		if len(n.Positional) > 0 {
			c.words = choices(n.Positional[0].Enum)
		}
		for _, sub := range n.Children { // flags of "bucket check" are completed after "bucket"
			c.words = append(c.words, sub.Name)
			c.flags = append(c.flags, flagsOf(sub.Flags)...)
		}
		l.commands = append(l.commands, c)
	}
	for i, c := range l.commands {
		if c.name == "help" {
			for _, other := range l.commands {
				l.commands[i].words = append(l.commands[i].words, other.name)
			}
		}
	}
	return l
}

func flagsOf(all []*kong.Flag) []flagWord {
	var flags []flagWord
	for _, f := range all {
		if f.Hidden {
			continue
		}
		c := flagWord{name: f.Name, help: strings.ReplaceAll(f.Help, "${enum}", f.Enum), values: choices(f.Enum)}
		if f.Short != 0 {
			c.short = string(f.Short)
		}
		if !f.IsBool() {
			c.value = f.FormatPlaceHolder()
		}
		flags = append(flags, c)
	}
	return flags
}

// choices returns the words of an enum, except the empty word.
func choices(enum string) []string {
	return strings.FieldsFunc(enum, func(r rune) bool { return r == ',' })
}

func (l line) names() []string {
	var names []string
	for _, c := range l.commands {
		names = append(names, c.name)
	}
	return names
}

// spelled returns the flags with their dashes.
func spelled(flags []flagWord) string {
	var words []string
	for _, f := range flags {
		words = append(words, "--"+f.name)
		if f.short != "" {
			words = append(words, "-"+f.short)
		}
	}
	return strings.Join(words, " ")
}

func (l line) bash() string {
	var b strings.Builder
	names := strings.Join(l.names(), " ")
	fmt.Fprintf(&b, "# bash completion of zargo\n_zargo() {\n"+
		"  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words= i\n"+
		"  [[ $cur == '=' ]] && cur=\n"+
		"  [[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"+
		"  for ((i = 1; i < COMP_CWORD; i++)); do\n"+
		"    case ${COMP_WORDS[i]} in %s) command=${COMP_WORDS[i]}; break ;; esac\n"+
		"  done\n"+
		"  COMPREPLY=()\n"+
		"  case $command:$prev in\n", strings.Join(l.names(), "|"))
	taking := func(command string, flags []flagWord) {
		for _, f := range flags {
			if f.value == "" {
				continue
			}
			pattern := command + ":--" + f.name
			if f.short != "" {
				pattern += "|" + command + ":-" + f.short
			}
			fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", pattern, render.ShellQuote(strings.Join(f.values, " ")))
		}
	}
	for _, c := range l.commands {
		taking(c.name, c.flags)
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "    %s:%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", c.name, c.name, render.ShellQuote(strings.Join(c.words, " ")))
		}
	}
	taking("*", l.flags)
	b.WriteString("  esac\n  case $command in\n")
	fmt.Fprintf(&b, "    '') words=%s ;;\n", render.ShellQuote(names+" "+spelled(l.flags)))
	for _, c := range l.commands {
		fmt.Fprintf(&b, "    %s) words=%s ;;\n", c.name, render.ShellQuote(spelled(append(append([]flagWord(nil), c.flags...), l.flags...))))
	}
	b.WriteString("  esac\n" +
		"  if [[ -z $command || $cur == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); fi\n" +
		"}\ncomplete -o default -F _zargo zargo\n")
	return b.String()
}

// zshText escapes a text in a specification of zsh's _arguments.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
}

func (l line) zsh() string {
	var b strings.Builder
	arguments := func(indent string, flags []flagWord) {
		for _, f := range flags {
			value := ""
			if f.value != "" {
				value = ":" + zshText(f.value) + ":"
				if len(f.values) > 0 {
					value += "(" + strings.Join(f.values, " ") + ")"
				} else if f.value == "FILE" {
					value += "_files"
				}
			}
			sign := ""
			if value != "" {
				sign = "="
			}
			fmt.Fprintf(&b, "%s%s \\\n", indent, render.ShellQuote("*--"+f.name+sign+"["+zshText(f.help)+"]"+value))
			if f.short != "" {
				fmt.Fprintf(&b, "%s%s \\\n", indent, render.ShellQuote("*-"+f.short+"["+zshText(f.help)+"]"+value))
			}
		}
	}
	b.WriteString("#compdef zargo\n# zsh completion of zargo\n_zargo() {\n  local line state\n  _arguments -C \\\n")
	arguments("    ", l.flags)
	b.WriteString("    '1: :->command' '*:: :->argument'\n  case $state in\n    command)\n      local -a commands=(\n")
	for _, c := range l.commands {
		fmt.Fprintf(&b, "        %s\n", render.ShellQuote(c.name+":"+c.help))
	}
	b.WriteString("      )\n      _describe command commands ;;\n    argument)\n      case $line[1] in\n")
	for _, c := range l.commands {
		fmt.Fprintf(&b, "        %s)\n          _arguments \\\n", c.name)
		arguments("            ", append(append([]flagWord(nil), c.flags...), l.flags...))
		what := "*:file:_files"
		if len(c.words) > 0 {
			what = "1:word:(" + strings.Join(c.words, " ") + ")"
		}
		fmt.Fprintf(&b, "            %s ;;\n", render.ShellQuote(what))
	}
	b.WriteString("      esac ;;\n  esac\n}\nif [[ $funcstack[1] == _zargo ]]; then _zargo \"$@\"; else compdef _zargo zargo; fi\n")
	return b.String()
}

// fishQuoted quotes a word for fish.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func (l line) fish() string {
	var b strings.Builder
	b.WriteString("# fish completion of zargo\n")
	flags := func(when string, all []flagWord) {
		for _, f := range all {
			fmt.Fprintf(&b, "complete -c zargo%s -l %s", when, f.name)
			if f.short != "" {
				fmt.Fprintf(&b, " -s %s", f.short)
			}
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(&b, " -x -a %s", fishQuoted(strings.Join(f.values, " ")))
			case f.value == "FILE":
				b.WriteString(" -r")
			case f.value != "":
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuoted(f.help))
		}
	}
	flags("", l.flags)
	for _, c := range l.commands {
		fmt.Fprintf(&b, "complete -c zargo -n __fish_use_subcommand -f -a %s -d %s\n", c.name, fishQuoted(c.help))
		when := " -n " + fishQuoted("__fish_seen_subcommand_from "+c.name)
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "complete -c zargo%s -f -a %s\n", when, fishQuoted(strings.Join(c.words, " ")))
		}
		flags(when, c.flags)
	}
	return b.String()
}
