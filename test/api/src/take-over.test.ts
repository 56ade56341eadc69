import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  backupStorageLocationType,
  backupType,
  daemonSetType,
  deploymentType,
  namespaceType,
  type ResourceType,
  scheduleType,
  secretType,
  serviceAccountType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { renderManifests } from '@lateen/deploy';
import { isNotFound, keyOf, type ObjectKey, type Unstructured } from '@lateen/kube';
import { applyManifests, typeOf } from '@lateen/manifests';
import { referenceInstallation } from '@lateen/testing';
import { execa } from 'execa';
import { loadAll } from 'js-yaml';
import { beforeAll, expect, it } from 'vitest';
import { describeWithApiServer } from './with-api-server.ts';

const lateen = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');
const signal = AbortSignal.any([]);
const image = ['--image', 'registry.example/lateen:1'];
const bindingType = typeOf(referenceInstallation().binding);
const password = 'take-over-api-test-password';

await describeWithApiServer('lateen install --take-over on a real kube-apiserver', (under) => {
  let namespaces = 0;

  const command = (namespace: string, words: readonly string[]) =>
    execa(process.execPath, [lateen, '--kubeconfig', under.server.kubeconfig, '-n', namespace, 'install', ...words], {
      reject: false,
      stdin: 'ignore',
    });
  const run = async (namespace: string, ...words: string[]) => {
    const { stdout, stderr, exitCode } = await command(namespace, words);
    expect(stdout + stderr).not.toContain(password);
    return { stdout, stderr, exitCode };
  };

  const create = async (object: Unstructured, type?: ResourceType) =>
    await under.kube.create((type ?? typeOf(object)) as ResourceType<Unstructured>, object, { fieldManager: 'velero' });
  const gone = async (type: ResourceType, key: ObjectKey) => {
    try {
      await under.kube.get(type, key);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  };

  /** An installation of Velero in a separate namespace, with the objects that it and users have created. */
  async function reference(change: (objects: ReturnType<typeof referenceInstallation>) => void = () => {}) {
    namespaces += 1;
    const namespace = `reference-${namespaces}`;
    const objects = referenceInstallation({ namespace });
    change(objects);
    for (const object of objects.all)
      await create(object, object === objects.snapshotLocation ? volumeSnapshotLocationType : undefined);
    const made = (kind: string, name: string, parts: object): Unstructured => ({
      apiVersion: 'velero.io/v1',
      kind,
      metadata: { namespace, name },
      ...parts,
    });
    await create(made('Schedule', 'nightly', { spec: { schedule: '@daily', template: {} } }), scheduleType as never);
    await create(made('Backup', 'old', { spec: {}, status: { phase: 'Completed' } }), backupType as never);
    await create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'velero-repo-credentials' },
      stringData: { 'repository-password': password },
    });
    return { namespace, objects };
  }

  /** Identity and content of the objects that a take-over must keep. */
  async function kept(namespace: string) {
    const read = async (type: ResourceType, name: string) => {
      const { metadata, spec, data, status } = (await under.kube.get(type, { namespace, name })) as Unstructured;
      return { uid: metadata.uid, spec, data, status };
    };
    return {
      location: await read(backupStorageLocationType, 'default'),
      schedule: await read(scheduleType, 'nightly'),
      backup: await read(backupType, 'old'),
      keys: await read(secretType, 'cloud-credentials'),
      password: await read(secretType, 'velero-repo-credentials'),
      account: (await read(serviceAccountType, 'velero')).uid,
    };
  }

  async function expectTakenOver(namespace: string, objects: ReturnType<typeof referenceInstallation>) {
    expect(await gone(deploymentType, { namespace, name: 'velero' })).toBe(true);
    expect(await gone(bindingType, keyOf(objects.binding))).toBe(true);
    const agent = await under.kube.get(daemonSetType, { namespace, name: 'node-agent' });
    expect(agent.metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'lateen' });
    expect(agent.spec.template.spec.containers[0]?.image).toBe(image[1]);
    const { data } = await under.kube.get(secretType, { namespace, name: 'lateen-take-over' });
    const replaced = loadAll(Buffer.from(data?.['replaced.yaml'] ?? '', 'base64').toString()) as Unstructured[];
    expect(replaced.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      `Namespace ${namespace}`,
      `ClusterRoleBinding velero-${namespace}`,
      'Deployment velero',
      'DaemonSet node-agent',
    ]);
    // Each in the form in which the API server accepts it again.
    for (const object of replaced) {
      const patch = { type: 'apply', body: object, force: true } as const;
      await under.kube.patch(typeOf(object), keyOf(object), patch, { fieldManager: 'test', dryRun: true });
    }
  }

  beforeAll(async () => {
    const definitions = await renderManifests({ parts: ['crds'] });
    for (const definition of definitions) {
      const { metadata } = definition;
      await create({ ...definition, metadata: { ...metadata, labels: { component: 'velero' } } });
    }
    // Waits until they are served, and changes nothing.
    await applyManifests(under.kube, definitions, { signal });
  });

  it('is suggested by a plain install, and shows its plan without changing anything', async () => {
    const { namespace } = await reference();
    const refused = await run(namespace, ...image);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`lateen install --take-over -n ${namespace}`);
    const before = await kept(namespace);
    const { exitCode, stdout, stderr } = await run(namespace, '--take-over', '--dry-run', ...image);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`would be applied  Deployment ${namespace}/lateen-controller`),
    ]);
    expect(stderr).toContain(`to be removed     ClusterRoleBinding velero-${namespace}, by which`);
    expect(stderr).toContain('to be kept        Schedule nightly');
    expect(await kept(namespace)).toEqual(before);
    expect(await gone(secretType, { namespace, name: 'lateen-take-over' })).toBe(true);
    const unasked = await run(namespace, '--take-over', ...image);
    expect([unasked.exitCode, unasked.stderr]).toEqual([1, expect.stringContaining('Give --confirm')]);
  });

  it('replaces the workloads and the permissions, asks for no setting that exists, and is idempotent', async () => {
    const { namespace, objects } = await reference();
    const before = await kept(namespace);
    const { exitCode, stdout, stderr } = await run(namespace, '--take-over', '--confirm', ...image);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('to be kept        Schedule nightly')]);
    expect(stdout).toMatch(/^checked {5}rights of ServiceAccount velero, node-agent: no more than Lateen needs$/m);
    await expectTakenOver(namespace, objects);
    expect(await kept(namespace)).toEqual(before);
    const { metadata } = await under.kube.get(namespaceType, { name: namespace });
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
    const again = await run(namespace, '--take-over', '--confirm');
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('there is nothing to take over')]);
    expect(again.stdout).toMatch(/ 0 created, 0 configured, \d+ unchanged\.$/m);
  });

  it('waits for a running Backup, and changes nothing when it does not end in time', async () => {
    const { namespace, objects } = await reference();
    const body = { status: { replicas: 1, readyReplicas: 1 } };
    const server = { namespace, name: 'velero' };
    await under.kube.patch(deploymentType, server, { type: 'merge', body }, { subresource: 'status' });
    const phase = async (text: string) =>
      await under.kube.patch(
        backupType,
        { namespace, name: 'old' },
        { type: 'merge', body: { status: { phase: text } } },
      );
    await phase('InProgress');
    const before = await kept(namespace);
    const busy = await run(namespace, '--take-over', '--confirm', '--timeout', '1s', ...image);
    expect([busy.exitCode, busy.stderr]).toEqual([
      1,
      expect.stringMatching(/Backup old \(InProgress\) did not end within 1s; nothing was changed/),
    ]);
    expect([await kept(namespace), await gone(deploymentType, server)]).toEqual([before, false]);
    const waiting = command(namespace, ['--take-over', '--confirm', '--timeout', '2m', ...image]);
    const told = Promise.withResolvers<void>();
    waiting.stderr.on('data', (text: Buffer) => {
      if (text.toString().includes('waiting for Backup old')) told.resolve();
    });
    await Promise.race([told.promise, waiting]);
    expect(await gone(deploymentType, server)).toBe(false);
    await phase('Completed');
    const { exitCode, stderr } = await waiting;
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('to be waited for  Backup old (InProgress)')]);
    await expectTakenOver(namespace, objects);
    expect((await kept(namespace)).backup.status).toEqual({ phase: 'Completed' });
  });

  it.each([
    'saved       Secret',
    'removed     Deployment',
    'removed     DaemonSet',
    'ended       Backup',
    'removed     ClusterRoleBinding',
    'created     ServiceAccount',
    'created     Deployment',
  ])('continues after it was killed after "%s"', async (mark) => {
    const { namespace, objects } = await reference(({ agent }) => {
      agent.spec.template.spec.containers[0]?.args?.push('--log-level=debug');
    });
    await create(
      {
        apiVersion: 'velero.io/v1',
        kind: 'Backup',
        metadata: { namespace, name: 'cut-off' },
        spec: {},
        status: { phase: 'InProgress' },
      } as Unstructured,
      backupType as never,
    );
    const before = await kept(namespace);
    const killed = command(namespace, ['--take-over', '--confirm', ...image]);
    for await (const line of createInterface({ input: killed.stdout }))
      if (line.startsWith(mark)) killed.kill('SIGKILL');
    expect((await killed).isTerminated).toBe(true);
    const { exitCode, stderr } = await run(namespace, '--take-over', '--confirm', ...image);
    expect([exitCode, stderr]).toEqual([0, expect.anything()]);
    await expectTakenOver(namespace, objects);
    expect(await kept(namespace)).toEqual(before);
    const { status } = await under.kube.get(backupType, { namespace, name: 'cut-off' });
    expect(status?.phase).toBe('Failed');
    const controller = await under.kube.get(deploymentType, { namespace, name: 'lateen-controller' });
    expect(controller.spec.template.spec.containers[0]?.args).toContain('--log-level=debug');
  });

  it('removes the account from a binding of others, and fails when it is still cluster-admin through a group', async () => {
    const group = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'platform' };
    const { namespace, objects } = await reference(({ binding }) => {
      (binding.subjects as object[]).push(group);
    });
    const wide: Unstructured = {
      ...objects.binding,
      metadata: { name: `accounts-of-${namespace}` },
      subjects: [{ ...group, name: `system:serviceaccounts:${namespace}` }],
    };
    await create(wide);
    const { exitCode, stderr } = await run(namespace, '--take-over', '--confirm', ...image);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /may delete nodes, which Lateen never does: RBAC: allowed by ClusterRoleBinding "accounts-of-/,
      ),
    ]);
    expect((await under.kube.get(bindingType, keyOf(objects.binding))).subjects).toEqual([group]);
    await under.kube.delete(bindingType, keyOf(wide));
    const again = await run(namespace, '--take-over', '--confirm', ...image);
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('no more than Lateen needs')]);
  });
});
