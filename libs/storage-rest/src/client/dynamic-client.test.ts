import { describe, expect, it } from 'vitest';
import { apiVersion } from '../envelope/api-version.ts';
import { collection } from '../envelope/collection.ts';
import { collectionUrl } from '../envelope/resource.ts';
import { oneSchema, schemaCollection, schemasHeader } from '../envelope/schema-body.ts';
import { exampleCollections } from '../format/example-resources.ts';
import { schemas } from '../schema/schemas.ts';
import { type Answer, DynamicClient } from './dynamic-client.ts';

const base = 'http://longhorn-backend:9500';
/** Types that exist only in actions or as parts of others: their collections have no route. */
const withoutRoute = ['snapshot', 'snapshotCR', 'backup', 'tag'];
const collections = Object.entries(exampleCollections(base)).filter(([type]) => !withoutRoute.includes(type));

const sent: unknown[] = [];
function serve(method: string, url: string, body?: unknown): Answer {
  if (method !== 'GET') {
    sent.push([method, url, body]);
    return { status: 200 };
  }
  const found = bodies.get(url.toLowerCase());
  return found === undefined ? { status: 404 } : { status: 200, headers, body: found };
}
const header = schemasHeader(base);
const headers = { [header.name]: header.value };
const bodies = new Map<string, unknown>([
  [`${base}/v1`, apiVersion(base)],
  [`${base}/v1/schemas`, schemaCollection(base)],
  ...schemas.map(({ id }) => [`${base}/v1/schemas/${id}`.toLowerCase(), oneSchema(id, base)] as const),
  ...collections.flatMap(([type, data]) => [
    [collectionUrl(type, base), collection(type, data, base)] as const,
    ...data.map((one) => [one.links.self?.toLowerCase() ?? '', one] as const),
  ]),
]);
const client = await DynamicClient.connect(`${base}/v1`, serve);

describe('a client that discovers all types', () => {
  it('finds all types', () => expect([...client.types.keys()].sort()).toEqual(schemas.map(({ id }) => id).sort()));

  it.each(schemas.map(({ id }) => id))('reads the schema of %s again by its link', async (id) => {
    const schema = client.types.get(id);
    expect(schema && (await client.reload(schema))).toEqual(schema);
    expect(schema?.links.collection).toMatch(/^http:\/\/longhorn-backend:9500\/v1\/[a-z]+$/);
  });
  it('has the methods that scripts call', () => {
    expect(client.methods()).toEqual(
      expect.arrayContaining(['list_engine_image', 'by_id_backupVolume', 'create_volume', 'create_recurring_job']),
    );
    expect(
      client
        .methods()
        .filter((name) => /^(update|create|delete)_[a-z_]+$/.test(name))
        .sort(),
    ).toEqual(
      [
        ...[
          'backing_image',
          'backup_target',
          'engine_image',
          'recurring_job',
          'system_backup',
          'system_restore',
          'volume',
        ].map((name) => `create_${name}`),
        ...[
          'backing_image',
          'backup_backing_image',
          'backup_target',
          'backup_volume',
          'engine_image',
          'recurring_job',
        ].map((name) => `delete_${name}`),
        ...['system_backup', 'system_restore', 'volume'].map((name) => `delete_${name}`),
        ...['backup_target', 'backup_volume', 'node', 'recurring_job', 'setting'].map((name) => `update_${name}`),
      ].sort(),
    );
  });
  it.each(collections.map(([type]) => type))('lists %s and follows the link of each', async (type) => {
    const all = await client.list(type);
    expect(all.length).toBeGreaterThan(0);
    for (const one of all) {
      expect(await client.byId(type, one.id)).toEqual(one);
      expect(await client.reload(one)).toEqual(one);
    }
  });
  it.each(withoutRoute)('gets 404 for the links of all %s', async (type) => {
    await expect(client.list(type)).rejects.toThrow(/404/);
  });
  it('sends every offered action to a URL that names it, and the schema has each', async () => {
    const all = await Promise.all(collections.map(([type]) => client.list(type)));
    for (const one of all.flat()) {
      const known = Object.keys((client.types.get(one.type)?.resourceActions as object | undefined) ?? {});
      for (const name of Object.keys(one.actions)) {
        sent.length = 0;
        await client.action(one, name, { any: 'thing' });
        expect(sent).toEqual([['POST', `${one.links.self}?action=${name}`, { any: 'thing' }]]);
        expect(known).toContain(name);
      }
    }
  });
  it('sends changes and deletions to the link of the object, and cannot where the schema forbids it', async () => {
    const [node, volume] = [(await client.list('node'))[0], (await client.list('volume'))[0]];
    if (node === undefined || volume === undefined) throw new Error('nothing is listed');
    sent.length = 0;
    await client.update(node, { allowScheduling: false });
    await client.delete(volume);
    await client.create('volume', { name: 'v2' });
    expect(sent).toEqual([
      ['PUT', `${base}/v1/nodes/node-1`, { allowScheduling: false }],
      ['DELETE', `${base}/v1/volumes/pvc-1`, undefined],
      ['POST', `${base}/v1/volumes`, { name: 'v2' }],
    ]);
    await expect(client.delete(node)).rejects.toThrow(/no DELETE for node/);
    await expect(client.update(volume, {})).rejects.toThrow(/no PUT for volume/);
    await expect(client.create('setting', {})).rejects.toThrow(/no POST for setting/);
    await expect(client.action(volume, 'salvage')).rejects.toThrow(/no action salvage/);
  });
});
