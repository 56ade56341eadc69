import type { Clock, Random } from '@lateen/kernel';
import type { Discovery, KubeApi, PodLogs } from '@lateen/kube';
import type { TextOutput } from './output/live-line.ts';

/** Options that every command has. */
export interface GlobalOptions {
  kubeconfig?: string;
  context?: string;
  /** Velero's name for `context`. */
  kubecontext?: string;
  /** Features to enable, separated by commas; `install` uses it. */
  features?: string;
  /** The namespace of the Lateen (or Velero) installation. */
  namespace: string;
}

/** What a command gets from the program: all of its inputs and outputs. */
export interface CommandContext {
  clock: Clock;
  random: Random;
  stdout: TextOutput;
  /** Progress and remarks are written here, so that stdout can be piped. */
  stderr: TextOutput;
  /** Asks the user and resolves with the answer; absent when there is no terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Like `ask`, without showing the input. */
  askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Aborts on Ctrl-C. */
  signal: AbortSignal;
  /**
   * Connects on first use; commands that need no cluster never call it. The connection also reads pod logs, where the client
   * supports it.
   */
  connect(options: GlobalOptions): Promise<KubeApi & Pick<Discovery, 'resourceTypes'> & Partial<PodLogs>>;
  /** The commit of this program; absent or undefined when it is not known. */
  commit?(): Promise<string | undefined>;
  /** Names of the contexts in the kubeconfig. */
  contexts?(options: Pick<GlobalOptions, 'kubeconfig'>): Promise<readonly string[]>;
}
