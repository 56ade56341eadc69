import { execa } from 'execa';

/** Runs kubectl in one namespace, as a user does. @throws with its error output */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

const outputEnd = 600;

export function kubectlIn(options: {
  kubectl: string;
  kubeconfig: string;
  namespace: string;
  signal: AbortSignal;
}): Kubectl {
  const { kubectl, kubeconfig, namespace, signal } = options;
  return async (args, input) => {
    const stdin = input === undefined ? { stdin: 'ignore' as const } : { input };
    const all = ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args];
    const result = await execa(kubectl, all, { ...stdin, cancelSignal: signal, reject: false });
    signal.throwIfAborted();
    if (result.failed)
      throw new Error(`kubectl ${args.join(' ')} failed: ${result.stderr.slice(-outputEnd) || result.shortMessage}`);
    return result.stdout;
  };
}
