import { recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restWorld } from './rest-world.ts';
import { oneOfEach } from './storage-objects.ts';

const rbac = 'rbac.authorization.k8s.io';
const tokens: Readonly<Record<string, string>> = {
  'token-of-ann-0123': 'ann',
  'token-of-bob-0123': 'bob',
  'token-of-root-0123': 'root',
};

/** May read everything of longhorn.io in the namespace, and attach volumes. */
const role = [
  {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name: 'storage', namespace: 'longhorn-system' },
    rules: [
      { apiGroups: ['longhorn.io'], resources: ['*'], verbs: ['get', 'list'] },
      { apiGroups: ['longhorn.io'], resources: ['volumeattachments'], verbs: ['update'] },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'storage', namespace: 'longhorn-system' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'storage' },
    subjects: [{ kind: 'User', name: 'ann' }],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'root' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', name: 'root' }],
  },
];

/** A server that asks the cluster to review tokens; the cluster knows three. */
async function guarded(log = recordingLog()) {
  const world = await restWorld({ objects: [...oneOfEach(), ...role], auth: 'token', log });
  let reviews = 0;
  world.cluster.intercept(async (call, next) => {
    if (call.type.kind !== 'TokenReview') return next();
    reviews += 1;
    const username = tokens[(call.body as { spec: { token: string } }).spec.token];
    return {
      ...(call.body as object),
      status: username === undefined ? {} : { authenticated: true, user: { username } },
    };
  });
  const as = (user: string) => ({ authorization: `Bearer token-of-${user}-0123` });
  return { world, log, as, reviews: () => reviews };
}

const attach = { hostId: 'node-1', attachmentID: 'a' };

describe('with tokens', () => {
  it('a request without a token that the cluster knows is rejected', async () => {
    const { world, as } = await guarded();
    await using _ = world;
    const answer = await world.ask('GET', '/v1/volumes');
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'Unauthorized', message: 'Unauthorized: no token was sent' },
    });
    expect((await world.ask('GET', '/v1/schemas', undefined, as('eve'))).status).toBe(401);
    expect((await world.ask('GET', '/metrics')).status).toBe(401);
    expect((await world.ask('GET', '/v1/schemas', undefined, as('bob'))).status).toBe(200);
  });
  it('each user may do what kubectl would allow', async () => {
    const { world, as } = await guarded();
    await using _ = world;
    const status = async (user: string, method: string, path: string, body?: unknown) =>
      (await world.ask(method, path, body, as(user))).status;
    expect(await status('ann', 'GET', '/v1/volumes')).toBe(200);
    expect(await status('bob', 'GET', '/v1/volumes')).toBe(403);
    expect(await status('ann', 'POST', '/v1/volumes/pvc-1?action=attach', attach)).toBe(200);
    expect(await status('ann', 'POST', '/v1/volumes/pvc-1?action=snapshotList')).toBe(200);
    for (const [method, path] of [
      ['DELETE', '/v1/volumes/pvc-1'],
      ['POST', '/v1/volumes/pvc-1?action=updateReplicaCount'],
      ['POST', '/v1/volumes/pvc-1?action=snapshotCRCreate'],
      ['POST', '/v1/volumes/pvc-1?action=pvCreate'],
      ['POST', '/v1/volumes/pvc-1?action=pvcCreate'],
      ['POST', '/v1/backupvolumes/pvc-1-0a1b2c3d?action=backupDelete'],
      ['PUT', '/v1/settings/auto-salvage'],
      ['PUT', '/v1/nodes/node-1'],
      ['GET', '/v1/events'],
    ] as const)
      expect([method, path, await status('ann', method, path, method === 'GET' ? undefined : {})]).toEqual([
        method,
        path,
        403,
      ]);
    const { body } = await world.ask('DELETE', '/v1/volumes/pvc-1', undefined, as('ann'));
    expect(body.message).toBe(
      'User "ann" cannot delete resource "volumes" in API group "longhorn.io" in the namespace "longhorn-system"',
    );
    expect(await status('root', 'DELETE', '/v1/volumes/pvc-1')).toBe(200);
  });
  it('clients that support only basic authentication may send the token as the password', async () => {
    const { world } = await guarded();
    await using _ = world;
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect((await world.ask('GET', '/v1/volumes', undefined, basic('any:token-of-ann-0123'))).status).toBe(200);
    expect((await world.ask('GET', '/v1/volumes', undefined, basic(':'))).status).toBe(401);
  });
  it('the cluster is asked once for many requests, and again after an error', async () => {
    const { world, as, reviews } = await guarded();
    await using _ = world;
    await Promise.all(Array.from({ length: 20 }, () => world.ask('GET', '/v1/volumes', undefined, as('ann'))));
    expect(reviews()).toBe(1);
    const type = {
      kind: 'SubjectAccessReview',
      group: 'authorization.k8s.io',
      version: 'v1',
      resource: 'subjectaccessreviews',
      namespaced: false,
    };
    world.cluster.failOnce('create', type, 'KUBE_UNAVAILABLE');
    expect((await world.ask('GET', '/v1/nodes', undefined, as('ann'))).status).toBe(500);
    expect((await world.ask('GET', '/v1/nodes', undefined, as('ann'))).status).toBe(200);
  });
  it('a stream needs the same permission as its collection', async () => {
    const { world } = await guarded();
    await using _ = world;
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    const { hostname, port } = new URL(world.url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request({ hostname, port, path: '/v1/ws/volumes', headers: upgrade }, ({ statusCode }) =>
        resolve(statusCode),
      ).end();
    });
    expect(status).toBe(401);
  });
  it('every change is logged with its user, and no token is logged', async () => {
    const { world, log, as } = await guarded();
    await world.ask('DELETE', '/v1/volumes/pvc-1', undefined, as('root'));
    await world.ask('DELETE', '/v1/orphans/orphan-1', undefined, as('ann'));
    await world.ask('POST', '/v1/volumes/pvc-1?action=attach', attach, as('ann'));
    await world[Symbol.asyncDispose]();
    const changes = log.lines
      .filter(({ message }) => message === 'a client asked for a change')
      .map(({ fields }) => fields);
    expect(changes).toMatchObject([
      { method: 'DELETE', route: '/v1/volumes/:name', name: 'pvc-1', user: 'root', status: 200 },
      { method: 'DELETE', route: '/v1/orphans/:name', name: 'orphan-1', user: 'ann', status: 403 },
      { method: 'POST', action: 'attach', user: 'ann' },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('token-of');
  });
});
