import { execa } from 'execa';

/** Runs commands in one pod through `kubectl exec`, which streams bulk data with back-pressure; the API client's exec does not. */
export interface PodShell {
  /** Resolves with stdout. @throws with the end of stderr when the command fails */
  run(command: readonly string[], input?: string): Promise<string>;
  /** Runs `producer` on this machine and pipes its output into `command`. @throws like `run` */
  feed(producer: readonly [string, ...string[]], command: readonly string[]): Promise<void>;
}

export interface PodShellOptions {
  kubectl: string;
  kubeconfig: string;
  namespace: string;
  pod: string;
  /** Default: the first container of the pod. */
  container?: string;
  signal: AbortSignal;
}

/** A list of about 20,000 files has 8 MB. */
const outputBytesMax = 512 * 1024 * 1024;
const errorTailLength = 600;

export function podShell(options: PodShellOptions): PodShell {
  const { kubectl, signal, namespace, pod } = options;
  const container = options.container === undefined ? [] : ['-c', options.container];
  const prefix = ['--kubeconfig', options.kubeconfig, 'exec', '-i', '-n', namespace, pod, ...container, '--'];
  const common = { cancelSignal: signal, maxBuffer: outputBytesMax, stripFinalNewline: false, reject: false } as const;
  const failure = (command: readonly string[], stderr: string, reason: string | undefined): Error =>
    new Error(
      `${command.slice(0, 3).join(' ')} in pod ${namespace}/${pod} failed: ${stderr.slice(-errorTailLength) || reason}`,
    );
  return {
    run: async (command, input) => {
      const stdin = input === undefined ? { stdin: 'ignore' as const } : { input };
      const result = await execa(kubectl, [...prefix, ...command], { ...stdin, ...common });
      if (result.failed) throw failure(command, result.stderr, result.shortMessage);
      return result.stdout;
    },
    feed: async ([file, ...args], command) => {
      // Bytes, because piped data must not be decoded.
      const source = execa(file, args, { encoding: 'buffer', buffer: { stdout: false }, cancelSignal: signal });
      const result = await source.pipe(kubectl, [...prefix, ...command], common);
      if (result.failed) throw failure(command, result.stderr, result.shortMessage);
    },
  };
}
