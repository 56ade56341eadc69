import { configMapType, daemonSetType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

const agents = 'node-agent';
const configMaps = { settings: 'settings-under-test', repositories: 'repositories-under-test' };
const rolloutMsMax = 120_000;

export interface SettingsUnderTest extends AsyncDisposable {}

/** Restarts the node-agents with these settings; dispose to restore the earlier ones. */
export async function withSettings(
  kube: KubeApi,
  namespace: string,
  { settings, repositories }: { settings: object; repositories: object },
): Promise<SettingsUnderTest> {
  const key = { namespace, name: agents };
  const before = (await kube.get(daemonSetType, key)).spec.template.spec.containers[0]?.args ?? [];
  const kept = before.filter((arg) => !arg.includes('-configmap='));
  await Promise.all([
    writeConfigMap(kube, { namespace, name: configMaps.settings }, { 'config.json': JSON.stringify(settings) }),
    writeConfigMap(kube, { namespace, name: configMaps.repositories }, { kopia: JSON.stringify(repositories) }),
  ]);
  await startWith(kube, key, [
    ...kept,
    `--node-agent-configmap=${configMaps.settings}`,
    `--backup-repository-configmap=${configMaps.repositories}`,
  ]);
  return {
    [Symbol.asyncDispose]: async () => {
      await startWith(kube, key, kept);
      for (const name of Object.values(configMaps)) await kube.delete(configMapType, { namespace, name });
    },
  };
}

async function writeConfigMap(
  kube: KubeApi,
  key: { namespace: string; name: string },
  data: Record<string, string>,
): Promise<void> {
  await kube.delete(configMapType, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  await kube.create(configMapType, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data });
}

/** Resolves when every agent runs with the settings and is ready. */
async function startWith(
  kube: KubeApi,
  key: { namespace: string; name: string },
  args: readonly string[],
): Promise<void> {
  const body = [{ op: 'replace' as const, path: '/spec/template/spec/containers/0/args', value: args }];
  await kube.patch(daemonSetType, key, { type: 'json', body });
  await waitForObject({
    api: kube,
    type: daemonSetType,
    key,
    clock: systemClock,
    signal: systemClock.deadline(rolloutMsMax),
    until: (daemonSet) => {
      const { desiredNumberScheduled, updatedNumberScheduled, numberReady, observedGeneration } = (daemonSet?.status ??
        {}) as Record<string, number | undefined>;
      const current = observedGeneration !== undefined && observedGeneration === daemonSet?.metadata.generation;
      const all = updatedNumberScheduled === desiredNumberScheduled && numberReady === desiredNumberScheduled;
      return current && all ? true : undefined;
    },
  });
}
