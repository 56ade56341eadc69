import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { leftoversBelow, makeScratch, startDriver } from '@lateen/csi-rig';
import type { KubeObject } from '@lateen/kube';
import { fakeCluster, ModelManager, serveFakeCluster } from '@lateen/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { LoopVolumes } from '../block/loop-volumes.ts';
import { definitionObjects, kubeconfigOf } from '../block/modelled-api.ts';
import { readReport, runSanity } from '../environment/csi-sanity.ts';

const GiB = 1024 ** 3;
const diskBytes = 200 * GiB;
const buildMs = 600_000;
const namespace = 'longhorn-system';
const nodeId = 'node-1';

/** Number of cases for what the driver declares. */
const casesMin = 62;

/** Cases of capabilities that it does not declare. */
const notDeclared = [
  /ListVolumes|ListSnapshots/,
  /ModifyVolume|volume attribute class/,
  /GroupController|VolumeGroupSnapshot/,
  /max attach limit|incompatible/,
];

const isRoot = process.getuid?.() === 0;

/**
 * The real driver with real devices. csi-sanity acts as the kubelet; the API server and the manager are models. Other tests check with real
 * engines what the manager makes of the objects.
 */
describe.skipIf(!isRoot)('csi-sanity 5.3.1 with replicated volumes', () => {
  let sanity = '';
  beforeAll(async () => {
    sanity = (await ensureParts(['csi-sanity'], silentProgress))['csi-sanity'] ?? '';
  }, buildMs);

  it.each(['mount', 'block'] as const)('passes for access type %s', async (access) => {
    await using scratch = await makeScratch('xfs', diskBytes);
    const cluster = fakeCluster();
    cluster.put(...(await definitionObjects()), longhornNode());
    const volumes = await LoopVolumes.in(scratch.stateParent);
    const manager = new ModelManager({ cluster, devices: volumes, nodes: [nodeId, 'node-2', 'node-3'] });
    const served = await serveFakeCluster(cluster);
    try {
      const kubeconfig = join(scratch.directory, 'kubeconfig');
      await writeFile(kubeconfig, kubeconfigOf(served.url));
      const program = ['csi', '--mode', 'all', '--kubeconfig', kubeconfig, '--namespace', namespace];
      await using driver = await startDriver(scratch, {
        nodeId,
        program: [...program, '--device-directory', volumes.devices],
      });
      const [report, targets] = [join(scratch.directory, 'report.json'), join(scratch.directory, 'targets')];
      const snapshotClass = join(scratch.directory, 'snapshot-class.yaml');
      await writeFile(snapshotClass, 'type: snap\n');
      await mkdir(targets);
      const { exitCode, all } = await runSanity(sanity, [
        `-csi.endpoint=${driver.endpoint}`,
        `-csi.mountdir=${join(targets, 'mount')}`,
        `-csi.stagingdir=${join(targets, 'staging')}`,
        `-csi.testvolumeaccesstype=${access}`,
        `-csi.testsnapshotparameters=${snapshotClass}`,
        `-ginkgo.json-report=${report}`,
        '-ginkgo.no-color',
      ]);
      expect(exitCode, all).toBe(0);
      const cases = readReport(await readFile(report, 'utf8'));
      expect(cases.filter(({ state }) => state === 'passed').length).toBeGreaterThanOrEqual(casesMin);
      const skipped = cases.filter(({ state }) => state === 'skipped').map(({ name }) => name);
      expect(skipped.filter((name) => !notDeclared.some((pattern) => pattern.test(name)))).toEqual([]);
      await manager.settled();
      expect(await driver.stop()).toBe(0);
      expect(await leftoversBelow(scratch.directory)).toEqual({ mounts: [scratch.stateParent], loops: [] });
    } finally {
      await served.close();
    }
  });
});

const longhornNode = (): KubeObject =>
  ({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Node',
    metadata: { name: nodeId, namespace },
    spec: { name: nodeId, allowScheduling: true, disks: {} },
  }) as KubeObject;
