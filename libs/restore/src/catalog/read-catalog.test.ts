import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveWriter, itemPaths } from '@lateen/archive';
import { stringify } from '@lateen/kube';
import { recordingLog } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCatalog } from './read-catalog.ts';

const { signal } = new AbortController();
let scratchDirectory: string;
beforeAll(async () => {
  scratchDirectory = await mkdtemp(join(tmpdir(), 'lateen-catalog-'));
});
afterAll(() => rm(scratchDirectory, { recursive: true }));

async function* archiveOf(entries: readonly (readonly [path: string, body: string])[]): AsyncGenerator<Uint8Array> {
  const writer = archiveWriter({ mtimeMs: 0 });
  const pieces = Array.fromAsync(writer.pieces);
  for (const [path, body] of entries) await writer.add(path, body);
  await writer.end();
  yield* await pieces;
}

async function read(entries: readonly (readonly [path: string, body: string])[]) {
  const log = recordingLog();
  const catalog = await readCatalog(archiveOf(entries), { scratchDirectory, log, signal });
  return { catalog, log };
}

/** Both entries of an object in its preferred version. */
const stored = (groupResource: string, object: { metadata: object }, version = 'v1'): [string, string][] => {
  const { name, namespace } = object.metadata as { name: string; namespace?: string };
  const place = { groupResource, name, version, preferred: true, ...(namespace === undefined ? {} : { namespace }) };
  return itemPaths(place).map((path): [string, string] => [path, JSON.stringify(object)]);
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: 'uid-web-0',
    labels: { app: 'web' },
    annotations: { 'backup.velero.io/backup-volumes': 'data', 'lateen.dev/x': 'y', 'kubectl.kubernetes.io/last': '{}' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-web', controller: true }],
  },
  spec: { serviceAccountName: 'runner', volumes: [{ secret: { secretName: 'gone' } }] },
};
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner', namespace: 'shop' } };
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', deletionTimestamp: 'now' } };

describe('the catalog of an archive', () => {
  it('lists each object once, with the facts that a restore decides by', async () => {
    const { catalog, log } = await read([
      ...stored('pods', pod),
      ...stored('serviceaccounts', account),
      ...stored('namespaces', namespace),
      ['other/file.json', '{'],
      ['resources/pods/odd', '{'],
    ]);
    expect(log.lines).toEqual([]);
    expect(catalog.items).toEqual([
      {
        groupResource: 'pods',
        namespace: 'shop',
        name: 'web-0',
        apiVersion: 'v1',
        kind: 'Pod',
        uid: 'uid-web-0',
        labels: { app: 'web' },
        annotations: { 'backup.velero.io/backup-volumes': 'data', 'lateen.dev/x': 'y' },
        isTerminating: false,
        owners: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-web', controller: true }],
        // The Secret is not in the backup.
        needs: [{ group: '', resource: 'serviceaccounts', namespace: 'shop', name: 'runner' }],
      },
      expect.objectContaining({ groupResource: 'serviceaccounts', name: 'runner', owners: [], needs: [] }),
      expect.objectContaining({ groupResource: 'namespaces', namespace: undefined, name: 'shop', isTerminating: true }),
    ]);
    const [first] = catalog.items;
    expect(catalog.find({ group: '', resource: 'pods', namespace: 'shop', name: 'web-0' })).toBe(first);
    expect(catalog.find({ group: '', resource: 'pods', namespace: 'lab', name: 'web-0' })).toBeUndefined();
    expect(catalog.find({ group: 'apps', resource: 'pods', namespace: 'shop', name: 'web-0' })).toBeUndefined();
    expect(catalog.find({ group: '', resource: 'namespaces', name: 'shop' })?.kind).toBe('Namespace');
    await catalog.close();
  });

  it('returns an object with every number as it was written', async () => {
    const body =
      '{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"name":"g"},"spec":{"big":9007199254740993,"one":1.0}}';
    const { catalog } = await read([['resources/gauges.example.com/cluster/g.json', body]]);
    const [item] = catalog.items;
    if (item === undefined) throw new Error('nothing in the catalog');
    expect(stringify(await catalog.read(item, signal))).toBe(body);
    await catalog.close();
    await expect(catalog.read(item, signal)).rejects.toMatchObject({ code: 'ARCHIVE_CLOSED' });
  });

  it('uses the later of two entries with the same path, as unpacking does', async () => {
    const later = { ...account, automountServiceAccountToken: false };
    const { catalog } = await read([...stored('serviceaccounts', account), ...stored('serviceaccounts', later)]);
    expect(catalog.items).toHaveLength(1);
    const [item] = catalog.items;
    expect(item && (await catalog.read(item, signal))).toEqual(later);
  });

  it('lists the versions of a resource, the preferred one of its cluster first, and returns objects in each version', async () => {
    const scaler = (version: string) => ({
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop' },
    });
    const resource = 'horizontalpodautoscalers.autoscaling';
    const { catalog } = await read([
      [`resources/${resource}/v1/namespaces/shop/web.json`, JSON.stringify(scaler('v1'))],
      ...stored(resource, scaler('v2'), 'v2'),
      ...stored('pods', pod),
      // Archives before version 1.1 of the format have only this entry.
      [
        'resources/roles.rbac.authorization.k8s.io/namespaces/shop/r.json',
        '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r","namespace":"shop"}}',
      ],
    ]);
    expect(catalog.versionsOf(resource)).toEqual(['v2', 'v1']);
    expect(catalog.versionsOf('pods')).toEqual(['v1']);
    expect(catalog.versionsOf('roles.rbac.authorization.k8s.io')).toEqual(['v1']);
    expect(catalog.versionsOf('secrets')).toEqual([]);
    const item = catalog.find({
      group: 'autoscaling',
      resource: 'horizontalpodautoscalers',
      namespace: 'shop',
      name: 'web',
    });
    if (item === undefined) throw new Error('not in the catalog');
    expect(await catalog.read(item, signal)).toEqual(scaler('v2'));
    expect(await catalog.read(item, signal, 'v2')).toEqual(scaler('v2'));
    expect(await catalog.read(item, signal, 'v1')).toEqual(scaler('v1'));
    await expect(catalog.read(item, signal, 'v3')).rejects.toMatchObject({
      code: 'CATALOG_ITEM_MISSING',
      message: `${resource}/shop/web is not in the backup in version v3`,
    });
  });

  const at = 'resources/secrets/namespaces/shop/token.json';
  const secret = (parts: object) => JSON.stringify({ apiVersion: 'v1', kind: 'Secret', ...parts });
  const metadata = { name: 'token', namespace: 'shop' };
  it.each<[string, string, string]>([
    ['is truncated', '{"apiVersion":"v1","data":{"password":"aHVudGVyMg=="', 'it is not JSON'],
    ['is empty', '', 'it is not JSON'],
    ['is a string', '"hunter2"', 'it is not an object'],
    ['is a list', '[]', 'it is not an object'],
    ['is null', 'null', 'it is not an object'],
    ['has no kind', JSON.stringify({ apiVersion: 'v1', metadata }), 'it does not say its apiVersion and kind'],
    ['has no apiVersion', JSON.stringify({ kind: 'Secret', metadata }), 'it does not say its apiVersion and kind'],
    ['has no metadata', secret({}), 'it has no metadata'],
    ['has metadata that is a list', secret({ metadata: [] }), 'it has no metadata'],
    ['has another group', secret({ apiVersion: 'apps/v1', metadata }), 'its path says another group than the object'],
    [
      'has another name',
      secret({ metadata: { ...metadata, name: 'admin' } }),
      'its path says another name or namespace than the object',
    ],
    [
      'is in another namespace',
      secret({ metadata: { ...metadata, namespace: 'kube-system' } }),
      'its path says another name or namespace than the object',
    ],
    [
      'is in no namespace',
      secret({ metadata: { name: 'token' } }),
      'its path says another name or namespace than the object',
    ],
    [
      'is nested too deeply',
      secret({ metadata }).replace(/}$/, `,"data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
      'it is nested more than 1000 levels deep',
    ],
    [
      'is too large',
      secret({ metadata, data: 'x'.repeat(9_000_000) }),
      'it has 8.58 MiB; no object of the API has more than 8 MiB',
    ],
  ])('warns about an object that %s, does not log its content, and continues', async (_, body, reason) => {
    const { catalog, log } = await read([[at, body], ...stored('serviceaccounts', account)]);
    expect(catalog.items.map(({ name }) => name)).toEqual(['runner']);
    expect(catalog.find({ group: '', resource: 'secrets', namespace: 'shop', name: 'token' })).toBeUndefined();
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'Error decoding an object of the backup',
        fields: { resource: 'secrets', namespace: 'shop', name: 'token', reason },
      },
    ]);
  });

  it('ignores malformed labels, owners and annotations, and keeps the object', async () => {
    const odd = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        ...metadata,
        labels: { app: 1, tier: 'db' },
        annotations: [],
        ownerReferences: [null, { uid: 1 }],
        uid: 7,
      },
    };
    const { catalog } = await read(stored('secrets', odd));
    expect(catalog.items).toEqual([
      expect.objectContaining({ labels: { tier: 'db' }, annotations: undefined, owners: [], uid: undefined }),
    ]);
  });

  it('rejects a truncated archive and leaves no files', async () => {
    const cut = async function* () {
      for await (const piece of archiveOf(stored('pods', pod))) yield piece.subarray(0, -20);
    };
    const log = recordingLog();
    await expect(readCatalog(cut(), { scratchDirectory, log, signal, memoryBytesMax: 0 })).rejects.toMatchObject({
      code: 'ARCHIVE_BROKEN',
    });
    expect(await readdir(scratchDirectory)).toEqual([]);
  });
});
