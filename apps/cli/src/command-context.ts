import type { Clock, Random } from '@lateen/kernel';
import type { Discovery, KubeApi, PodLogs } from '@lateen/kube';
import type { TextOutput } from './output/live-line.ts';

/** Options that every command has. */
export interface GlobalOptions {
  kubeconfig?: string;
  context?: string;
  /** The name that Velero has for it. */
  kubecontext?: string;
  /** Features to switch on, with commas between them; `install` uses it. */
  features?: string;
  /** The namespace that Lateen (or Velero) is installed in. */
  namespace: string;
}

/** What a command gets from the program: the outside world, and nothing it would have to look up itself. */
export interface CommandContext {
  clock: Clock;
  random: Random;
  stdout: TextOutput;
  /** Progress and remarks go here, so that stdout can be piped. */
  stderr: TextOutput;
  /** Asks the person and resolves with the answer; absent when nobody sits at a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** The same without showing what is typed. */
  askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Aborts on Ctrl-C. */
  signal: AbortSignal;
  /** Connects on first use; commands that need no cluster never call it. Logs of pods come the same way, if they can be had. */
  connect(options: GlobalOptions): Promise<KubeApi & Pick<Discovery, 'resourceTypes'> & Partial<PodLogs>>;
  /** The commit that this program is of; absent or undefined when nobody knows. */
  commit?(): Promise<string | undefined>;
  /** Names of the contexts in the kubeconfig. */
  contexts?(options: Pick<GlobalOptions, 'kubeconfig'>): Promise<readonly string[]>;
}
