import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { loadManifests } from '../read/load-manifests.ts';
import { isWorkload } from './pod-template.ts';
import { renderManifests } from './render-manifests.ts';

const manifests = await loadManifests(fileURLToPath(new URL('../../../../deploy', import.meta.url)));
const find = (objects: readonly Unstructured[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const resourcesOf = (role: Unstructured | undefined) =>
  ((role?.rules ?? []) as { resources: string[] }[]).flatMap(({ resources }) => resources);

describe('without pod volumes', () => {
  const on = renderManifests(manifests, { namespace: 'backup' });
  const off = renderManifests(manifests, {
    namespace: 'backup',
    podVolumes: false,
    extraArgs: { 'node-agent': ['--concurrency=2'] },
  });

  it('the namespace has the Pod Security level that forbids host paths', () => {
    const levels = [on, off].map((objects) => find(objects, 'Namespace', 'backup')?.metadata.labels);
    expect(levels[0]).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
    expect(levels[1]).toMatchObject({
      'app.kubernetes.io/part-of': 'lateen',
      'pod-security.kubernetes.io/enforce': 'baseline',
      'pod-security.kubernetes.io/warn': 'baseline',
    });
  });

  it('the node-agents see no other pods and have no access to PodVolumeBackups and PodVolumeRestores', () => {
    const [role, clusterRole] = ['lateen-node-agent', 'lateen-node-agent-backup'];
    for (const [kind, name, rights] of [
      ['Role', role, ['podvolumebackups', 'podvolumerestores']],
      ['ClusterRole', clusterRole, ['pods']],
    ] as const) {
      const [before, after] = [on, off].map((objects) => resourcesOf(find(objects, kind, name)));
      expect(before).toEqual(expect.arrayContaining([...rights]));
      expect(after).toEqual(before?.filter((resource) => !(rights as readonly string[]).includes(resource)));
    }
    // The pods in its own namespace are those of the data movers.
    expect(resourcesOf(find(off, 'Role', role))).toContain('pods');
  });

  it('controller and node-agents get the flag before their other flags', () => {
    const argsOf = (objects: readonly Unstructured[]) =>
      objects.filter(isWorkload).map(({ spec }) => spec.template.spec.containers[0]?.args?.slice(2));
    const [controller, agent] = argsOf(off);
    expect([controller, agent]).toEqual([['--use-pod-volumes=false'], ['--use-pod-volumes=false', '--concurrency=2']]);
    expect(JSON.stringify(on)).not.toContain('--use-pod-volumes');
    const driver = find(off, 'DaemonSet', 'lateen-csi');
    expect(JSON.stringify(driver)).not.toContain('--use-pod-volumes');
  });
});

describe('without host paths', () => {
  const on = renderManifests(manifests, { parts: ['namespace', 'node-agent', 'controller'] });
  const off = renderManifests(manifests, { parts: ['namespace', 'node-agent', 'controller'], hostPaths: false });

  it('the namespace has the Pod Security level that forbids them, node-agents use claims only, and nothing else differs', () => {
    expect(find(off, 'Namespace', 'velero')?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'baseline',
    });
    const agent = find(off, 'DaemonSet', 'node-agent');
    expect(JSON.stringify(agent)).toContain('"--pod-volume-access=claim-only"');
    const others = (objects: readonly Unstructured[]) =>
      objects.filter(({ kind }) => kind !== 'Namespace' && kind !== 'DaemonSet');
    expect(others(off)).toEqual(others(on));
  });
});
