import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDownloadType, labels, type Restore, type RestoreStatus, restoreType } from '@lateen/api-types';
import type { RunningLateen } from '@lateen/installation';
import { execa } from 'execa';
import { expect } from 'vitest';

type Installed = Pick<RunningLateen, 'kube' | 'kubeconfig' | 'kubectl' | 'veleroNamespace' | 'image' | 'storageClass'>;

const root = join(import.meta.dirname, '..', '..', '..', '..');

/**
 * The steps of journeys with Restores, run through the command line as users do.
 * @param mark the label of the backups and Restores of the journey
 */
export function journeyTools(lateen: Installed, { namespace, mark }: { namespace: string; mark: string }) {
  const { kube, kubeconfig, kubectl, veleroNamespace } = lateen;
  const cli = async (...words: string[]) => {
    const program = [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', kubeconfig, '-n', veleroNamespace, ...words];
    const { exitCode, stdout, stderr } = await execa(process.execPath, program, { reject: false });
    return { exitCode, stdout, stderr };
  };
  const kubectlIn = async (target: string, words: readonly string[], input?: string) => {
    const all = ['--kubeconfig', kubeconfig, '-n', target, ...words];
    return (await execa(kubectl, all, input === undefined ? {} : { input })).stdout;
  };
  const tools = {
    cli,
    kubectl: (...words: string[]) => kubectlIn(namespace, words),
    /** Applies a file beside this one, with its placeholders replaced. */
    apply: async (file: string) => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      const values = { NAMESPACE: namespace, STORAGE_CLASS: lateen.storageClass, IMAGE: lateen.image };
      const filled = Object.entries(values).reduce((all, [word, value]) => all.replaceAll(word, value), text);
      await kubectlIn(namespace, ['apply', '-f', '-'], filled);
    },
    inPod: (target: string, script: string) =>
      kubectlIn(target, ['exec', 'deployment/app', '-c', 'main', '--', 'sh', '-c', script]),
    rollout: (target: string) => kubectlIn(target, ['rollout', 'status', 'deployment/app', '--timeout=180s']),
    backUp: async (name: string, ...flags: string[]) => {
      const what = ['--include-namespaces', namespace, '--labels', mark, ...flags];
      const made = await cli('backup', 'create', name, ...what, '--wait', '--exit-code');
      expect([made.exitCode, made.stderr]).toEqual([0, expect.anything()]);
    },
    theRestore: (name: string): Promise<Restore> => kube.get(restoreType, { namespace: veleroNamespace, name }),
    downloadsOf: async (name: string) => {
      const labelSelector = `${labels.restoreName}=${name}`;
      return (await kube.list(dataDownloadType, { namespace: veleroNamespace, labelSelector })).items;
    },
    /** Runs a restore to its end and resolves with its status; when it is not as expected, the error has the description. */
    restore: async (name: string, ...flags: string[]): Promise<RestoreStatus> => {
      const made = await cli('restore', 'create', name, '--labels', mark, ...flags, '--wait', '--exit-code');
      const told = made.exitCode === 0 ? '' : (await cli('restore', 'describe', name, '--details')).stdout;
      expect([made.exitCode, `${made.stderr}${told}`]).toEqual([0, expect.anything()]);
      return (await tools.theRestore(name)).status ?? {};
    },
  };
  return tools;
}

export type JourneyTools = ReturnType<typeof journeyTools>;
