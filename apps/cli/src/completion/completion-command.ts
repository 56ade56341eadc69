import { AppError } from '@lateen/errors';
import { Command } from 'commander';
import type { TextOutput } from '../output/live-line.ts';
import { completedArgument } from './completion.ts';
import { completionScript, shells } from './shell-scripts.ts';

const examples = `
Examples:
  source <(lateen completion bash)                                       # in ~/.bashrc
  source <(lateen completion zsh)                                        # in ~/.zshrc
  lateen completion fish > ~/.config/fish/completions/lateen.fish

Completes commands, flags and their values, and names of objects in the cluster; a query takes two seconds at most.
For "kubectl lateen", put an executable kubectl_complete-lateen on the PATH:
  #!/bin/sh
  exec lateen __complete "$@"`;

/** `lateen completion bash|zsh|fish` */
export function completionCommand(stdout: TextOutput): Command {
  return new Command('completion')
    .description('Print a completion script for a shell')
    .addArgument(completedArgument('<shell>', shells.join(', '), shells))
    .addHelpText('after', examples)
    .action((text: string) => {
      const shell = shells.find((each) => each === text);
      if (shell === undefined)
        throw new AppError('BAD_ARGUMENT', `there is no completion for "${text}"`, {
          nextStep: `Use one of ${shells.join(', ')}.`,
        });
      stdout.write(completionScript(shell));
    });
}
