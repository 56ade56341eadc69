import { tmpdir } from 'node:os';
import { namespaceType, type RestoreSpec, type Unstructured } from '@lateen/api-types';
import { backUpItems, type EngineStore, engineLimitsDefault, PodTurns } from '@lateen/backup';
import { builtInActions } from '@lateen/item-actions';
import { backupFilters, completeRestoreFilters } from '@lateen/item-filters';
import { listAll } from '@lateen/kube';
import { prioritiesDefault, type RestoreEnginePorts, readCatalog, restoreItems } from '@lateen/restore';
import { recordingLog } from '@lateen/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { base, describeWithApiServer } from './with-api-server.ts';

const labels = { app: 'web' };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] },
};

/** One object of many kinds, as users write them: the server adds the rest. */
const application = (namespace: string): Unstructured[] => {
  const object = (apiVersion: string, kind: string, name: string, rest: object, metadata: object = {}) =>
    ({ apiVersion, kind, metadata: { namespace, name, ...metadata }, ...rest }) as Unstructured;
  return [
    object('v1', 'ServiceAccount', 'default', {}),
    object('v1', 'LimitRange', 'limits', { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } }),
    object('v1', 'ConfigMap', 'settings', { data: { color: 'red' } }),
    object('v1', 'Secret', 'key', { type: 'Opaque', data: { key: 'aHVudGVyMg==' } }),
    object('v1', 'Secret', 'fixed', { type: 'Opaque', immutable: true, data: { key: 'aHVudGVyMg==' } }),
    object('v1', 'Service', 'web', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    object('v1', 'Service', 'headless', { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] } }),
    object('v1', 'Service', 'outside', { spec: { type: 'NodePort', selector: labels, ports: [{ port: 80 }] } }),
    object('v1', 'Pod', 'alone', { spec: template.spec }, { labels }),
    object('v1', 'PersistentVolumeClaim', 'data', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    object('apps/v1', 'Deployment', 'web', { spec: { replicas: 2, selector: { matchLabels: labels }, template } }),
    object('apps/v1', 'StatefulSet', 'db', {
      spec: { serviceName: 'headless', selector: { matchLabels: labels }, template },
    }),
    object('apps/v1', 'DaemonSet', 'log', { spec: { selector: { matchLabels: labels }, template } }),
    object('batch/v1', 'Job', 'once', {
      spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
    }),
    object('batch/v1', 'CronJob', 'nightly', {
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
      },
    }),
    object('networking.k8s.io/v1', 'Ingress', 'web', {
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    }),
    object('networking.k8s.io/v1', 'NetworkPolicy', 'web', { spec: { podSelector: {} } }),
    object('policy/v1', 'PodDisruptionBudget', 'web', {
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    }),
    object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    }),
    object('rbac.authorization.k8s.io/v1', 'Role', 'reader', {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    }),
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'reader', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    }),
    object('coordination.k8s.io/v1', 'Lease', 'leader', { spec: { holderIdentity: 'a' } }),
  ];
};

await describeWithApiServer('objects of a real kube-apiserver, restored', (under) => {
  let shop = '';
  let archive: Uint8Array[] = [];
  let runs = 0;

  const create = async (object: Unstructured, fieldManager = 'kubectl-create') => {
    const [version = '', group = ''] = object.apiVersion.split('/').toReversed();
    const type = await under.kube.findResourceType({ group, version, kind: object.kind });
    await under.kube.create(type, object, { fieldManager });
  };
  const get = async (kind: string, namespace: string, name: string) =>
    (await under.kube.get(await under.kube.findResourceType(kind), { namespace, name })) as Unstructured;
  const patch = async (kind: string, namespace: string, name: string, body: object, fieldManager = 'somebody') =>
    await under.kube.patch(
      await under.kube.findResourceType(kind),
      { namespace, name },
      { type: 'merge', body },
      { fieldManager },
    );

  async function backUp(): Promise<Uint8Array[]> {
    const { kube } = under;
    const types = await kube.resourceTypes({ fresh: true });
    const { items: namespaces } = await listAll(kube, namespaceType);
    const pieces: Uint8Array[] = [];
    const store: EngineStore = {
      writeArchive: async (_, given) => {
        for await (const piece of given) pieces.push(piece);
      },
      putResourceList: async () => {},
      writeItemOutcomes: async () => {},
    };
    const spec = { includedNamespaces: [shop] };
    const backup = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'daily', namespace: 'velero', uid: 'u' },
      spec,
      status: {},
    };
    const ports = {
      ...base,
      kube,
      discovery: kube,
      exec: kube,
      veleroNamespace: 'velero',
      store,
      actions: builtInActions({ csi: false }),
      limits: engineLimitsDefault,
      podTurns: new PodTurns(),
      openHooks: { open: async () => {}, close: async () => {} },
      onProgress: () => {},
    };
    const request = { backup, filters: backupFilters({ spec, types, namespaces }), types };
    await backUpItems(ports, request, new AbortController().signal);
    return pieces;
  }

  async function restore(spec: RestoreSpec) {
    const log = recordingLog();
    const ports: RestoreEnginePorts = {
      ...base,
      log,
      kube: under.kube,
      discovery: under.kube,
      veleroNamespace: 'velero',
      dryRun: spec.dryRun === true,
      podHooks: { podCreated: () => {} },
      actions: builtInActions({ csi: false }).restore,
      limits: {
        parallel: 8,
        resourceTimeoutMs: 30_000,
        terminatingTimeoutMs: 30_000,
        additionalItemsReadyTimeoutMs: 30_000,
      },
      onProgress: () => {},
    };
    const pieces = async function* () {
      yield* archive;
    };
    const catalog = await readCatalog(pieces(), { log, scratchDirectory: tmpdir() });
    const metadata = { name: `restore-${++runs}`, namespace: 'velero', uid: `r-${runs}`, creationTimestamp: later() };
    const outcome = await restoreItems(
      ports,
      {
        restore: {
          apiVersion: 'velero.io/v1',
          kind: 'Restore',
          metadata,
          spec: completeRestoreFilters({ backupName: 'daily', ...spec }),
          status: {},
        },
        backup: {
          apiVersion: 'velero.io/v1',
          kind: 'Backup',
          metadata: { name: 'daily', namespace: 'velero' },
          spec: {},
        },
        catalog,
        volumes: [],
        priorities: prioritiesDefault,
      },
      new AbortController().signal,
    );
    await catalog.close();
    const items = [...outcome.items].filter(({ kind }) => kind !== 'Namespace');
    const acts = Object.fromEntries(
      items.map(({ kind, name, act, reason = '' }) => [`${kind}/${name}`, [act, reason]]),
    );
    const troubles = log.lines
      .filter(({ level }) => level === 'warn' || level === 'error')
      .map(({ message }) => message);
    return { acts, troubles };
  }

  const restored = (): string[] =>
    application(shop)
      .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
      .sort();
  const all = (act: string) => Object.fromEntries(restored().map((name) => [name, [act, '']]));

  beforeAll(async () => {
    shop = await under.namespace();
    for (const object of application(shop)) await create(object);
    await patch('ConfigMap', shop, 'settings', { data: { size: 'xl' } });
    archive = await backUp();
  }, 120_000);

  it('are unchanged when they still exist', async () => {
    expect(await restore({})).toEqual({ acts: all('unchanged'), troubles: [] });
  });

  describe('into another namespace', () => {
    let copy = '';
    let first: Awaited<ReturnType<typeof restore>>;
    const into = () => ({ namespaceMapping: { [shop]: copy } });
    beforeAll(async () => {
      copy = `${shop}-copy`;
      first = await restore(into());
    }, 120_000);

    it('are all created', () => {
      expect(first).toEqual({ acts: all('create'), troubles: [] });
    });

    it('are unchanged when they are restored again, whatever new values the server has set', async () => {
      expect(await restore(into())).toEqual({ acts: all('unchanged'), troubles: [] });
    });

    it('have the result that a plan predicts', async () => {
      expect(await restore({ ...into(), dryRun: true })).toEqual({ acts: all('unchanged'), troubles: [] });
    });

    it('have the managers of their fields again, one or several', async () => {
      const owners = async (kind: string, namespace: string, name: string) =>
        ((await get(kind, namespace, name)).metadata.managedFields as { manager: string; operation: string }[])
          .map(({ manager, operation }) => `${manager} ${operation}`)
          .sort();
      expect(await owners('Secret', copy, 'key')).toEqual(['kubectl-create Update']);
      expect(await owners('ConfigMap', copy, 'settings')).toEqual(await owners('ConfigMap', shop, 'settings'));
      expect(await owners('ConfigMap', copy, 'settings')).toEqual(['kubectl-create Update', 'somebody Update']);
    });

    it('are kept when they differ, and changed with policy update where possible', async () => {
      await patch('ConfigMap', copy, 'settings', { data: { color: 'blue' } });
      await patch('Deployment', copy, 'web', { spec: { replicas: 5 } });
      await patch('Service', copy, 'web', { spec: { ports: [{ port: 81 }] } });
      const left = await restore(into());
      expect(left.acts).toEqual({
        ...all('unchanged'),
        'ConfigMap/settings': ['conflict', 'it differs in data.color'],
        'Deployment/web': ['conflict', 'it differs in spec.replicas'],
        'Service/web': ['conflict', 'it differs in spec.ports'],
      });
      expect(left.troubles).toHaveLength(3);
      const changed = await restore({ ...into(), existingResourcePolicy: 'update' });
      expect(changed.troubles).toEqual([]);
      expect(changed.acts).toEqual({
        ...all('unchanged'),
        'ConfigMap/settings': ['update', 'it differs in data.color'],
        'Deployment/web': ['update', 'it differs in spec.replicas'],
        'Service/web': ['update', 'it differs in spec.ports'],
      });
      expect((await get('ConfigMap', copy, 'settings')).data).toEqual({ color: 'red', size: 'xl' });
      expect(await restore(into())).toEqual({ acts: all('unchanged'), troubles: [] });
    });

    it('are distinguished when the difference cannot be changed', async () => {
      const secrets = await under.kube.findResourceType('Secret');
      const roleBindings = await under.kube.findResourceType('RoleBinding');
      await under.kube.delete(secrets, { namespace: copy, name: 'fixed' });
      await under.kube.delete(roleBindings, { namespace: copy, name: 'reader' });
      const other = application(copy).map((object) => {
        if (object.metadata.name === 'fixed') return { ...object, data: { key: 'b3RoZXI=' } };
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'another' };
        return object.kind === 'RoleBinding' ? { ...object, roleRef } : object;
      });
      for (const object of other)
        if (object.metadata.name === 'fixed' || object.kind === 'RoleBinding') await create(object);
      const { acts, troubles } = await restore({ ...into(), existingResourcePolicy: 'update' });
      expect([acts['Secret/fixed']?.[0], acts['RoleBinding/reader']?.[0]]).toEqual(['immutable', 'immutable']);
      expect(troubles).toHaveLength(2);
    });
  });

  it('are denied by a quota, with its name', async () => {
    const small = await under.namespace();
    await create({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: small, name: 'small' },
      spec: { hard: { 'count/configmaps': '0' } },
    });
    await patchQuotaStatus(small);
    const { acts } = await restore({ namespaceMapping: { [shop]: small }, includedResources: ['configmaps'] });
    expect(acts['ConfigMap/settings']?.[0]).toBe('denied');
    expect(acts['ConfigMap/settings']?.[1]).toContain('exceeded quota: small');
  });

  /** Sets the status as the controller of quotas would. */
  async function patchQuotaStatus(namespace: string): Promise<void> {
    const quotas = await under.kube.findResourceType('ResourceQuota');
    const status = { hard: { 'count/configmaps': '0' }, used: { 'count/configmaps': '0' } };
    await under.kube.patch(
      quotas,
      { namespace, name: 'small' },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  }

  it('have their status when the restore asks for it', async () => {
    await under.kube.patch(
      await under.kube.findResourceType('Deployment'),
      { namespace: shop, name: 'web' },
      { type: 'merge', body: { status: { replicas: 2, readyReplicas: 2 } } },
      { subresource: 'status' },
    );
    archive = await backUp();
    const into = { namespaceMapping: { [shop]: `${shop}-status` }, includedResources: ['deployments'] };
    const { troubles } = await restore({ ...into, restoreStatus: { includedResources: ['deployments'] } });
    expect(troubles).toEqual([]);
    expect((await get('Deployment', `${shop}-status`, 'web')).status).toMatchObject({ readyReplicas: 2 });
  });
});

/** A restore that is newer than all existing objects, so that none counts as created by an earlier attempt. */
const later = (): string => new Date(base.clock.now() + 3_600_000).toISOString();
