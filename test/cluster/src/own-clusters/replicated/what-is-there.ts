import { describeError } from '@lateen/errors';
import { execa } from 'execa';

const ofStorage = [
  ...['nodes', 'volumes', 'engines', 'replicas', 'snapshots', 'volumeattachments'],
  ...['backups', 'backupvolumes', 'backuptargets'],
].map((each) => `${each}.longhorn.io`);

/** Objects, events and the end of each log, to explain why a volume was not created or deleted. Lists what cannot be read. */
export async function whatIsThere(
  { kubectl, kubeconfig }: { kubectl: string; kubeconfig: string },
  storageNamespace: string,
): Promise<string> {
  const told = async (...args: string[]) => {
    const command = `kubectl ${args.join(' ')}`;
    try {
      const { stdout } = await execa(kubectl, ['--kubeconfig', kubeconfig, ...args], { timeout: 60_000 });
      return `--- ${command}\n${stdout}`;
    } catch (error) {
      return `--- ${command}\n${describeError(error)}`;
    }
  };
  const namespace = `--namespace=${storageNamespace}`;
  const pods = await told('get', 'pods', namespace, '--output=name');
  const logs = pods.split('\n').filter((line) => line.startsWith('pod/'));
  return [
    await told('get', 'pods,persistentvolumeclaims,persistentvolumes', '--all-namespaces', '--output=wide'),
    await told('get', 'events', '--all-namespaces', '--sort-by=.metadata.creationTimestamp'),
    await told('get', ofStorage.join(','), namespace, '--output=yaml'),
    ...(await Promise.all(
      logs.map((pod) => told('logs', pod, namespace, '--all-containers', '--prefix', '--tail=60')),
    )),
  ].join('\n');
}
