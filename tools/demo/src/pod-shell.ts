import type { Readable } from 'node:stream';
import { execa } from 'execa';

/** Commands in one pod, through `kubectl exec`: it streams bulk data with back-pressure, which the API client's exec does not. */
export interface PodShell {
  /** Resolves with stdout. @throws with the end of stderr when the command fails */
  run(command: readonly string[], input?: Readable | string): Promise<string>;
}

export interface PodShellOptions {
  kubectl: string;
  kubeconfig: string;
  namespace: string;
  pod: string;
  signal: AbortSignal;
}

/** A listing of some 20,000 files is about 8 MB. */
const outputBytesMax = 512 * 1024 * 1024;
const errorTailLength = 600;

export function podShell(options: PodShellOptions): PodShell {
  const prefix = ['--kubeconfig', options.kubeconfig, 'exec', '-i', '-n', options.namespace, options.pod, '--'];
  return {
    run: async (command, input) => {
      const result = await execa(options.kubectl, [...prefix, ...command], {
        ...stdinOf(input),
        cancelSignal: options.signal,
        maxBuffer: outputBytesMax,
        stripFinalNewline: false,
        reject: false,
      });
      if (result.failed)
        throw new Error(
          `${command.slice(0, 3).join(' ')} in pod ${options.namespace}/${options.pod} failed: ${result.stderr.slice(-errorTailLength) || result.shortMessage}`,
        );
      return result.stdout;
    },
  };
}

function stdinOf(input: Readable | string | undefined): { stdin: 'ignore' | Readable } | { input: string } {
  if (input === undefined) return { stdin: 'ignore' };
  return typeof input === 'string' ? { input } : { stdin: input };
}
