import { settledOrAborted, silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { ResourceType, Unstructured } from '@lateen/kube';
import {
  type LonghornNode,
  longhornNodeType,
  recurringJobType,
  replicaType,
  settingType,
  volumeAttachmentObjectType,
} from '@lateen/storage-types';
import { storageKindDefinitions } from '@lateen/storage-types/definitions';
import { type RestServer, startRestServer, storageInformers } from '@lateen/volume-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDefinitions, storageDefinitions, untilServed } from './apply-definitions.ts';
import { describeWithApiServer } from './with-api-server.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const roleType: ResourceType<Unstructured> = { ...rbac, resource: 'roles', kind: 'Role', namespaced: true };
const roleBindingType: ResourceType<Unstructured> = {
  ...rbac,
  resource: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};
const accountType: ResourceType<Unstructured> = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

await describeWithApiServer('the REST API of the volume manager on a real kube-apiserver', (under) => {
  const stop = new AbortController();
  let namespace = '';
  let server: RestServer;
  let running: Promise<void>;
  const tokens: Record<string, string> = {};

  /** A service account with these permissions on longhorn.io, and its token. */
  async function account(name: string, verbs: readonly string[]): Promise<void> {
    const metadata = { name, namespace };
    await under.kube.create(accountType, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const rules = [{ apiGroups: ['longhorn.io'], resources: ['*'], verbs }];
    await under.kube.create(roleType, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules });
    await under.kube.create(roleBindingType, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac.group, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
    const answer = await under.kube.create(accountType, request, { subresource: 'token' });
    tokens[name] = (answer as { status?: { token?: string } }).status?.token ?? '';
  }

  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube, storageDefinitions);
    for (const { type } of storageKindDefinitions) await untilServed(under.kube, type);
    await account('reader', ['get', 'list']);
    await account('writer', ['*']);
    const base = { api: under.kube, namespace, clock: systemClock, random: systemRandom, log: silentLogger };
    const reader = storageInformers({ ...base, managerPods: 'app.kubernetes.io/name=volume-manager' });
    running = reader.run(stop.signal);
    await reader.synced(stop.signal);
    server = await startRestServer({ ...base, listen: { host: '127.0.0.1', port: 0 }, auth: 'token', reader });
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    stop.abort();
    if (running !== undefined) await settledOrAborted(running, systemClock.deadline(10_000));
  });

  async function ask(user: string, method: string, path: string, body?: unknown) {
    const headers = { authorization: `Bearer ${tokens[user] ?? 'none-of-the-cluster'}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${server.address}/v1/${path}`, { method, headers, ...sent });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  const volume = { name: 'data', size: '1Gi', numberOfReplicas: 2 };

  it('admits users that the cluster knows, with the permissions that they have with kubectl', async () => {
    expect((await ask('eve', 'GET', 'volumes')).status).toBe(401);
    expect((await ask('reader', 'GET', 'volumes')).status).toBe(200);
    const refused = await ask('reader', 'POST', 'volumes', volume);
    expect(refused.status).toBe(403);
    const who = `system:serviceaccount:${namespace}:reader`;
    expect(refused.body.message).toContain(`User ${JSON.stringify(who)} cannot create resource "volumes"`);
  });

  it('creates objects that the API server accepts, and can read them immediately', async () => {
    expect((await ask('writer', 'POST', 'volumes', volume)).body).toMatchObject({ id: 'data', size: '1073741824' });
    expect((await ask('reader', 'GET', 'volumes/data')).body).toMatchObject({ numberOfReplicas: 2, accessMode: 'rwo' });
    const job = { name: 'nightly', task: 'snapshot', cron: '0 0 * * *', retain: 3, labels: { a: 'b' } };
    expect((await ask('writer', 'POST', 'recurringjobs', job)).status).toBe(200);
    expect((await under.kube.get(recurringJobType, { namespace, name: 'nightly' })).spec).toMatchObject({ retain: 3 });
    expect((await ask('writer', 'PUT', 'settings/default-replica-count', { value: '2' })).status).toBe(200);
    expect((await ask('writer', 'PUT', 'settings/default-replica-count', { value: '1' })).status).toBe(200);
    const setting = await under.kube.get(settingType, { namespace, name: 'default-replica-count' });
    expect(setting.value).toBe('{"v1":"1","v2":"1"}');
    const target = { name: 'second', backupTargetURL: 'nfs://host:/path', pollInterval: '300' };
    expect((await ask('writer', 'POST', 'backuptargets', target)).body).toMatchObject({ pollInterval: '5m0s' });
    const sync = await ask('writer', 'POST', 'backuptargets/second?action=backupTargetSync', {
      syncBackupTarget: true,
    });
    expect(sync.status).toBe(200);
    expect((await ask('writer', 'POST', 'engineimages', { image: 'a/b:1' })).status).toBe(200);
    const snapshot = await ask('writer', 'POST', 'volumes/data?action=snapshotCRCreate', { name: 'first' });
    expect(snapshot.body).toMatchObject({ type: 'snapshotCR', id: 'first', createSnapshot: true });
  });

  it('returns why the API server rejects something', async () => {
    const { status, body } = await ask('writer', 'POST', 'volumes', {
      ...volume,
      name: 'odd',
      replicaAutoBalance: 'x',
    });
    expect([status, body.message]).toEqual([500, expect.stringContaining('spec.replicaAutoBalance')]);
    expect((await ask('writer', 'POST', 'volumes', volume)).body.message).toContain('already exists');
  });

  it('loses none of many parallel changes', async () => {
    const name = 'node-1';
    const node: LonghornNode = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Node',
      metadata: { name, namespace },
      spec: {},
    };
    const made = await under.kube.create(longhornNodeType, node);
    const ready = [
      { type: 'Ready', status: 'True', lastProbeTime: '', lastTransitionTime: '', message: '', reason: '' } as const,
    ];
    await under.kube.update(longhornNodeType, { ...made, status: { conditions: ready } }, { subresource: 'status' });
    const replica = { apiVersion: 'longhorn.io/v1beta2', kind: 'Replica', metadata: { name: 'data-r-1', namespace } };
    await under.kube.create(replicaType, { ...replica, spec: { volumeName: 'data', nodeID: name } });
    const attach = (attachmentID: string) =>
      ask('writer', 'POST', 'volumes/data?action=attach', { hostId: name, attachmentID });
    await expect.poll(async () => (await attach('first')).status, { timeout: 10_000 }).toBe(200);
    const ids = Array.from({ length: 8 }, (_, index) => `t${index}`);
    expect((await Promise.all(ids.map(attach))).map(({ status }) => status)).toEqual(ids.map(() => 200));
    const attachment = await under.kube.get(volumeAttachmentObjectType, { namespace, name: 'data' });
    expect(Object.keys(attachment.spec.attachmentTickets ?? {}).sort()).toEqual(['first', ...ids]);
    expect((await ask('writer', 'POST', 'volumes/data?action=detach', { forceDetach: true })).status).toBe(200);
    const after = await under.kube.get(volumeAttachmentObjectType, { namespace, name: 'data' });
    expect(after.spec.attachmentTickets).toEqual({});
  });

  it('deletes what it is asked to', async () => {
    expect((await ask('reader', 'DELETE', 'volumes/data')).status).toBe(403);
    expect((await ask('writer', 'DELETE', 'volumes/data')).status).toBe(200);
    expect((await ask('writer', 'GET', 'volumes/data')).status).toBe(404);
  });
});
