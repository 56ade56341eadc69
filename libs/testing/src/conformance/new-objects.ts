import {
  type ConfigMap,
  configMapType,
  namespaceType,
  type PersistentVolume,
  type Pod,
  persistentVolumeType,
  podType,
  serviceAccountType,
} from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi, ResourceType, Unstructured } from '@lateen/kube';
import { causesOf } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { definitionType, isEstablished } from '../cluster/known-types.ts';
import { configMapIn } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { customDefinition } from './custom-kinds.ts';
import { errorCodeOf } from './error-code-of.ts';

const core = (kind: string, resource: string): ResourceType<Unstructured> => ({
  group: '',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});
const serviceType = core('Service', 'services');
const quotaType = core('ResourceQuota', 'resourcequotas');
const waitMs = 20_000;

/** Creates the account itself instead of waiting for a controller. */
async function makeAccount(api: KubeApi, namespace: string, name: string): Promise<void> {
  await api.create(serviceAccountType, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = systemClock.deadline(waitMs);
  while (!(await isSo())) await systemClock.sleep(100, deadline);
}

/** What the API server does to objects that are new in a cluster, such as those of a restore. */
export function newObjectTests(subject: ConformanceSubject): void {
  const { name } = subject;
  const service = (spec: object): Unstructured => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: name('service'), namespace: subject.namespace },
    spec,
  });

  describe('new objects', () => {
    it('lose UID and times of their origin, and keep labels, finalizers and owners', async () => {
      const object = configMapIn(subject, name('moved'), { labels: { a: 'b' }, finalizers: ['lateen.dev/hold'] });
      const foreign = {
        uid: '00000000-0000-0000-0000-000000000001',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        generation: 7,
        selfLink: '/somewhere',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'u', controller: true }],
      };
      const metadata = { ...object.metadata, ...foreign };
      const made = await subject.api.create(configMapType, { ...object, metadata } as ConfigMap);
      expect(made.metadata.uid).not.toBe(foreign.uid);
      expect(made.metadata.creationTimestamp).not.toBe(foreign.creationTimestamp);
      expect(made.metadata).not.toHaveProperty('deletionTimestamp');
      expect(made.metadata).not.toHaveProperty('selfLink');
      expect(made.metadata).toMatchObject({
        labels: { a: 'b' },
        finalizers: ['lateen.dev/hold'],
        ownerReferences: foreign.ownerReferences,
      });
      const key = { namespace: subject.namespace, name: made.metadata.name ?? '' };
      await subject.api.patch(configMapType, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    });

    it('accept managedFields that are written after their creation', async () => {
      const made = await subject.api.create(configMapType, configMapIn(subject, name('managed'), { data: { a: '1' } }));
      const entry = {
        manager: 'somebody-before',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2001-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
      };
      const key = { namespace: subject.namespace, name: made.metadata.name ?? '' };
      const body = { metadata: { managedFields: [entry] } };
      const patched = await subject.api.patch(configMapType, key, { type: 'merge', body });
      expect(JSON.stringify(patched.metadata.managedFields)).toContain('somebody-before');
    });

    it('lose their status if it is a subresource, and accept it there', async () => {
      const key = { name: name('volume') };
      const volume: PersistentVolume = {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: key,
        spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/nowhere' } },
        status: { phase: 'Bound' },
      };
      const made = await subject.api.create(persistentVolumeType, volume);
      try {
        expect(made.status?.phase).toBe('Pending');
        const body = { status: { phase: 'Released', message: 'restored' } };
        await subject.api.patch(persistentVolumeType, key, { type: 'merge', body });
        expect((await subject.api.get(persistentVolumeType, key)).status?.phase).toBe('Pending');
        const options = { subresource: 'status', dryRun: true };
        await subject.api.patch(persistentVolumeType, key, { type: 'merge', body }, options);
        expect((await subject.api.get(persistentVolumeType, key)).status?.phase).toBe('Pending');
        const patched = await subject.api.patch(
          persistentVolumeType,
          key,
          { type: 'merge', body },
          { subresource: 'status' },
        );
        expect(patched.status?.phase).toBe('Released');
      } finally {
        await subject.api.delete(persistentVolumeType, key);
      }
    });

    it('are rejected in a missing or terminating namespace, also in a dry run', async () => {
      const { api } = subject;
      const namespace = name('ending');
      const within = (dryRun: boolean) => {
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late', namespace } };
        return api.create(configMapType, object, { dryRun });
      };
      expect(await errorCodeOf(within(true))).toBe('KUBE_NOT_FOUND');
      const made = await api.create(namespaceType, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      expect(made.metadata.labels).toMatchObject({ 'kubernetes.io/metadata.name': namespace });
      expect(made.status?.phase).toBe('Active');
      // An object in it has a finalizer, so that it does not disappear at once.
      const held = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held', namespace, finalizers: ['lateen.dev/hold'] },
      };
      await api.create(configMapType, held);
      await api.delete(namespaceType, { name: namespace });
      expect((await api.get(namespaceType, { name: namespace })).metadata.deletionTimestamp).toBeDefined();
      expect(await errorCodeOf(api.create(namespaceType, { ...made, metadata: { name: namespace } }))).toBe(
        'KUBE_ALREADY_EXISTS',
      );
      for (const dryRun of [true, false]) {
        const refused = await within(dryRun).then(
          (): unknown => undefined,
          (error: unknown) => error,
        );
        expect(refused).toMatchObject({ code: 'KUBE_FORBIDDEN' });
        expect((refused as Error).message).toContain('because it is being terminated');
        expect(causesOf(refused).map(({ reason }) => reason)).toContain('NamespaceTerminating');
      }
      await api.patch(
        configMapType,
        { namespace, name: 'held' },
        { type: 'merge', body: { metadata: { finalizers: null } } },
      );
    });

    it('get an address and node ports as Services, and never those of another', async () => {
      const { api } = subject;
      const made = await api.create(serviceType, service({ type: 'NodePort', ports: [{ port: 80 }] }));
      const spec = made.spec as {
        clusterIP: string;
        ports: { nodePort: number; targetPort: number; protocol: string }[];
      };
      expect(spec.clusterIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(spec.ports[0]).toMatchObject({ protocol: 'TCP', targetPort: 80 });
      const nodePort = spec.ports[0]?.nodePort ?? 0;
      expect(nodePort).toBeGreaterThanOrEqual(30_000);
      for (const dryRun of [true, false]) {
        const again = api.create(serviceType, service({ type: 'NodePort', ports: [{ port: 81, nodePort }] }), {
          dryRun,
        });
        expect(await errorCodeOf(again)).toBe('KUBE_INVALID');
        await expect(again).rejects.toThrow('provided port is already allocated');
        const { clusterIP } = spec;
        const same = service({ ports: [{ port: 82 }], clusterIP, clusterIPs: [clusterIP] });
        // A dry run does not detect addresses in use.
        if (dryRun) await api.create(serviceType, same, { dryRun });
        else await expect(api.create(serviceType, same)).rejects.toThrow('provided IP is already allocated');
      }
      const headless = await api.create(serviceType, service({ clusterIP: 'None', ports: [{ port: 80 }] }));
      expect(headless.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
    });

    it('are rejected as pods while their account or their priority class is missing', async () => {
      const { api } = subject;
      const namespace = name('pods');
      await api.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const pod = (spec: object): Pod => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: name('pod'), namespace },
        spec: { containers: [{ name: 'main', image: 'example.com/main' }], ...spec },
      });
      const missing = await api.create(podType, pod({ serviceAccountName: 'nobody' })).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      expect(missing).toMatchObject({ code: 'KUBE_FORBIDDEN' });
      expect(missing?.message).toContain(`error looking up service account ${namespace}/nobody`);
      await makeAccount(api, namespace, 'somebody');
      const account = { serviceAccountName: 'somebody' };
      const unknown = api.create(podType, pod({ ...account, priorityClassName: 'no-such-class' }));
      await expect(unknown).rejects.toThrow('no PriorityClass with name no-such-class was found');
      const made = await api.create(podType, pod(account));
      expect(made.spec).toMatchObject({ ...account, priority: 0 });
      await api.delete(namespaceType, { name: namespace });
    });

    it('as pods have the token of their service account in each container, unless they disable it', async () => {
      const { api } = subject;
      const namespace = name('tokens');
      await api.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await makeAccount(api, namespace, 'somebody');
      const make = (named: string, spec: object) =>
        api.create(podType, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: named, namespace },
          spec: {
            serviceAccountName: 'somebody',
            initContainers: [{ name: 'restore-wait', image: 'example.com/wait' }],
            containers: [{ name: 'main', image: 'example.com/main' }],
            ...spec,
          },
        });
      const { spec } = await make('with', {});
      const [volume] = spec.volumes ?? [];
      expect(spec.volumes).toHaveLength(1);
      expect(volume?.name).toMatch(/^kube-api-access-/);
      const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
      for (const { volumeMounts } of [...(spec.initContainers ?? []), ...spec.containers])
        expect(volumeMounts).toEqual([{ name: volume?.name, readOnly: true, mountPath }]);
      const without = await make('without', { automountServiceAccountToken: false });
      expect(without.spec.volumes ?? []).toEqual([]);
      await api.delete(namespaceType, { name: namespace });
    });

    it('are rejected above the limit of a quota, also in a dry run', async () => {
      const { api } = subject;
      const { metadata } = await api.create(namespaceType, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: name('quota') },
      });
      const namespace = metadata.name ?? '';
      const hard = { 'count/secrets': '1' };
      const secret = (named: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: named, namespace } });
      const secretType = core('Secret', 'secrets');
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few', namespace }, spec: { hard } };
      await api.create(quotaType, quota);
      await api.create(secretType, secret('one'));
      // The quota's controller counts; without one, this test sets the count.
      const status = { hard, used: { 'count/secrets': '1' } };
      const key = { namespace, name: 'few' };
      await api.patch(quotaType, key, { type: 'merge', body: { status } }, { subresource: 'status' });
      const another = (dryRun: boolean) =>
        api.create(secretType, secret(`two-${systemRandom.suffix(4)}`), { dryRun }).then(
          () => '',
          (error: unknown) => (error as Error).message,
        );
      // Admission learns of a quota through a watch.
      await until(async () => (await another(true)) !== '');
      for (const dryRun of [true, false]) {
        expect(await another(dryRun)).toContain(
          'is forbidden: exceeded quota: few, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1',
        );
      }
      await api.delete(namespaceType, { name: namespace });
    });

    it('of a kind are accepted once its definition is established, but not after a dry run of the definition', async () => {
      const { api } = subject;
      const { type, definition } = customDefinition(`Late${systemRandom.suffix(6)}`, {});
      const key = { name: definition.metadata.name ?? '' };
      const list = () => api.list(type, { namespace: subject.namespace, limit: 1 });
      await api.create(definitionType, definition, { dryRun: true });
      expect(await errorCodeOf(list())).toBe('KUBE_NOT_FOUND');
      const made = await api.create(definitionType, definition);
      try {
        expect((made.status as { conditions?: unknown }).conditions).toBeNull();
        await until(async () => isEstablished(await api.get(definitionType, key)));
        await until(async () => (await errorCodeOf(list())) === 'none');
      } finally {
        await api.delete(definitionType, key);
      }
    });
  });
}
