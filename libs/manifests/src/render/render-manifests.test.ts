import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { loadManifests } from '../read/load-manifests.ts';
import { isWorkload, type Workload } from './pod-template.ts';
import { imageDigestAnnotation, renderManifests } from './render-manifests.ts';
import type { RenderOptions } from './render-options.ts';

const manifests = await loadManifests(fileURLToPath(new URL('../../../../deploy', import.meta.url)));

function workload(objects: readonly Unstructured[], name: string): Workload {
  const found = objects.find((it) => isWorkload(it) && it.metadata.name === name);
  if (found === undefined || !isWorkload(found)) throw new Error(`no workload ${name}`);
  return found;
}
const containers = (of: Workload) => of.spec.template.spec.containers;
const directories = (name: string) => ({ name, kubeletDir: `/srv/${name}/kubelet`, csiStateDir: `/srv/${name}/csi` });

describe('renderManifests', () => {
  it('renders the node-agent for one cluster as recorded', async () => {
    const objects = renderManifests(manifests, {
      parts: ['node-agent'],
      image: 'registry.example/lateen:1.0',
      imageDigest: 'sha256:feed',
      namespace: 'backup',
      logLevel: 'debug',
      extraArgs: { 'node-agent': ['--resource-timeout=1m'] },
    });
    expect(objects.filter(isWorkload)).toMatchSnapshot();
  });

  it('contains the kinds of the volume manager only when they are named', () => {
    const kindsOf = (objects: readonly Unstructured[]) =>
      objects.filter(({ spec }) => (spec as { group?: string } | undefined)?.group === 'longhorn.io');
    expect(kindsOf(renderManifests(manifests))).toEqual([]);
    const named = renderManifests(manifests, { parts: ['crds-storage'], namespace: 'backup' });
    expect(named).toHaveLength(25);
    expect(kindsOf(named)).toEqual(manifests['crds-storage']);
  });

  it('gives privileges to managers only, and only on request', () => {
    const privileged = (options: RenderOptions) =>
      renderManifests(manifests, { ...options, parts: ['controller', 'node-agent', 'volume-manager'] })
        .filter(isWorkload)
        .flatMap((of) => containers(of).map(({ name, securityContext }) => ({ name, securityContext })))
        .filter(({ securityContext }) => (securityContext as { privileged?: boolean })?.privileged === true);
    const csi = { name: 'csi', securityContext: { privileged: true } };
    expect(privileged({})).toEqual([csi]);
    expect(privileged({ privilegedManagers: false })).toEqual([csi]);
    expect(privileged({ privilegedManagers: true })).toEqual([
      { name: 'manager', securityContext: { privileged: true, runAsUser: 0 } },
      csi,
    ]);
  });

  it.each(['csi', 'volume-manager'] as const)(
    'does not rename %s, which serves the whole cluster, for another namespace, account and labels',
    (part) => {
      const own = { namespace: 'backup', serviceAccountName: 'mine', podLabels: { team: 'a' }, podVolumes: false };
      const annotations = { podAnnotations: { a: 'b' }, serviceAccountAnnotations: { a: 'b' } };
      expect(renderManifests(manifests, { ...own, ...annotations, parts: [part] })).toEqual(manifests[part]);
    },
  );

  it('passes the image of the created pods to the volume manager, together with its own image', () => {
    const objects = renderManifests(manifests, {
      parts: ['volume-manager'],
      image: 'registry.example/lateen:1',
      storageImage: 'registry.example/storage:1',
      sidecarImage: 'registry.example/sidecars:1',
    });
    const [manager, driver] = containers(workload(objects, 'volume-manager'));
    expect(manager?.args).toContain('--instance-manager-image=registry.example/storage:1');
    expect([manager?.image, driver?.image]).toEqual(['registry.example/lateen:1', 'registry.example/lateen:1']);
    expect(JSON.stringify(objects)).not.toContain('localhost/');
  });

  it('inserts the kubelet directory of the nodes into pods that mount volumes', () => {
    const objects = renderManifests(manifests, { parts: ['volume-manager'], nodes: [directories('x')] });
    const text = JSON.stringify(workload(objects, 'volume-manager'));
    expect(text).toContain('/srv/x/kubelet/plugins/driver.longhorn.io');
    expect(text).not.toContain('/var/lib/kubelet');
  });

  it('leaves no trace of the default namespace when another one is requested', async () => {
    const objects = renderManifests(manifests, {
      parts: ['namespace', 'controller', 'node-agent'],
      namespace: 'backup',
    });
    for (const { kind, metadata } of objects) {
      expect([kind, metadata.namespace]).not.toEqual([kind, 'velero']);
      expect([kind, metadata.name]).not.toEqual(['Namespace', 'velero']);
    }
    const bindings = objects.filter(({ kind }) => kind === 'ClusterRoleBinding');
    const expected = [
      ['lateen-controller-backup', 'velero'],
      ['lateen-node-agent-backup', 'node-agent'],
    ];
    expect(bindings).toMatchObject(
      expected.map(([name, account]) => ({
        metadata: { name },
        roleRef: { name },
        subjects: [{ name: account, namespace: 'backup' }],
      })),
    );
  });

  it('inserts the image digest into the pod templates and nowhere else', async () => {
    const objects = renderManifests(manifests, { parts: ['controller', 'csi'], imageDigest: 'sha256:feed' });
    for (const object of objects.filter(isWorkload))
      expect(object.spec.template.metadata.annotations?.[imageDigestAnnotation]).toBe('sha256:feed');
    expect(JSON.stringify(objects).match(/sha256:feed/g)).toHaveLength(3);
  });

  it('keeps one CSI DaemonSet, with other directories, when all nodes are equal', async () => {
    const nodes = ['a', 'b'].map((name) => ({ ...directories('x'), name }));
    const objects = renderManifests(manifests, { parts: ['csi'], nodes });
    const [driver] = containers(workload(objects, 'lateen-csi'));
    expect(driver?.args).toContain('--kubelet-registration-path=/srv/x/kubelet/plugins/csi.lateen.dev/csi.sock');
    expect(driver?.args).toContain('--state-dir=/srv/x/csi');
  });

  it('creates one CSI DaemonSet per node when their directories differ', async () => {
    const objects = renderManifests(manifests, { parts: ['csi'], nodes: [directories('a'), directories('b')] });
    const names = objects.filter(isWorkload).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['lateen-csi-a', 'lateen-csi-b', 'lateen-csi-metadata']);
    const b = workload(objects, 'lateen-csi-b');
    expect(b.spec.template.spec.nodeSelector).toEqual({ 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'b' });
    expect(b.spec.template.spec.volumes).toEqual([
      { name: 'plugin', hostPath: { path: '/srv/b/kubelet/plugins/csi.lateen.dev', type: 'DirectoryOrCreate' } },
      { name: 'registration', hostPath: { path: '/srv/b/kubelet/plugins_registry', type: 'Directory' } },
      { name: 'kubelet', hostPath: { path: '/srv/b/kubelet', type: 'Directory' } },
      { name: 'state', hostPath: { path: '/srv/b/csi', type: 'DirectoryOrCreate' } },
      { name: 'dev', hostPath: { path: '/dev', type: 'Directory' } },
      expect.objectContaining({ name: 'metadata-tls' }),
    ]);
    expect(b.spec.template.metadata.labels).toMatchObject(b.spec.selector.matchLabels);
    expect(JSON.stringify(b)).not.toMatch(/\/var\/lib\/|\/srv\/a\//);
  });

  it('omits only the changed-block parts when they are not wanted', () => {
    const parts = ['csi', 'volume-manager'] as const;
    const objects = renderManifests(manifests, { parts, snapshotMetadata: false });
    expect(JSON.stringify(objects)).not.toMatch(/-metadata|"metadata-|\/metadata/);
    const names = (name: string) => containers(workload(objects, name)).map((each) => each.name);
    expect(names('volume-manager-csi')).toEqual([
      ...['csi', 'csi-attacher', 'csi-provisioner', 'csi-resizer', 'csi-snapshotter'],
    ]);
    const usual = renderManifests(manifests, { parts });
    expect(usual.length - objects.length).toBe(12);
  });

  it('omits the resizer when its binary is missing', async () => {
    const objects = renderManifests(manifests, { parts: ['csi'], csiResizer: false });
    expect(containers(workload(objects, 'lateen-csi')).map(({ name }) => name)).toEqual([
      'lateen-volume-manager',
      'csi-provisioner',
      'csi-snapshotter',
    ]);
  });

  it('reports a missing folder', async () => {
    await expect(loadManifests('/nowhere')).rejects.toMatchObject({
      code: 'DEPLOY_MANIFEST_INVALID',
      message: expect.stringContaining('/nowhere/'),
    });
  });
});
