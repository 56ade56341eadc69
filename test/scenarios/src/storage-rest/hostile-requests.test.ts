import { silentLogger } from '@lateen/kernel';
import { volumeActionRows } from '@lateen/storage-rest';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RestWorld, restWorld } from './rest-world.ts';
import { oneOfEach } from './storage-objects.ts';

let world: RestWorld;
beforeAll(async () => {
  world = await restWorld({ objects: oneOfEach(), log: silentLogger });
});
afterAll(() => world[Symbol.asyncDispose]());

const actions = volumeActionRows
  .map(({ name }) => `/v1/volumes/pvc-1?action=${name}`)
  .filter((path) => !/snapshotCreate|pvcCreate/.test(path));
const targets: [string, string][] = [
  ...['volumes', 'recurringjobs', 'engineimages', 'backuptargets', 'backingimages', 'systembackups'].map(
    (path): [string, string] => ['POST', `/v1/${path}`],
  ),
  ...[
    'backuptargets',
    'backupvolumes',
    'settings/default-replica-count',
    'settings/taint-toleration',
    'nodes/node-2',
    'recurringjobs/nightly',
  ].map((path): [string, string] => ['PUT', `/v1/${path}`]),
  ...actions.map((path): [string, string] => ['POST', path]),
  ['POST', '/v1/nodes/node-1?action=diskUpdate'],
  ['POST', '/v1/backuptargets/default?action=backupTargetUpdate'],
  ['POST', '/v1/backuptargets/default?action=backupTargetSync'],
  ...['backupList', 'backupListByVolume', 'backupGet', 'backupVolumeSync'].map((action): [string, string] => [
    'POST',
    `/v1/backupvolumes/pvc-1-0a1b2c3d?action=${action}`,
  ]),
];

/** Field names of the API, and some with a special meaning in JavaScript. */
const names = fc.constantFrom(
  ...[
    'name',
    'size',
    'value',
    'disks',
    'tags',
    'labels',
    'cron',
    'task',
    'retain',
    'hostId',
    'attachmentID',
    'names',
    'image',
    'numberOfReplicas',
  ],
  ...[
    'recurringJobSelector',
    'fromBackup',
    'dataSource',
    'dataLayout',
    'pollInterval',
    'backupTargetURL',
    'snapshotMaxSize',
    'replicaCount',
  ],
  ...['__proto__', 'constructor', 'toString', 'links', 'actions'],
);
const values: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'pvc-1',
    '1Gi',
    '-1',
    '1e309',
    '9'.repeat(400),
    '\u0000',
    '../../x',
    '__proto__',
    'default',
    '* * * * *',
    null,
    true,
    1e300,
    -0,
    0.5,
  ),
  fc.integer(),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
);
const bodies = fc.oneof(
  fc.dictionary(names, values, { maxKeys: 6 }).map((fields) => JSON.stringify(fields)),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.string({ maxLength: 50 }),
);

it("any request is answered or rejected in Longhorn's form, and the server keeps running", async () => {
  const property = fc.asyncProperty(fc.constantFrom(...targets), bodies, async ([method, path], body) => {
    const answer = await world.ask(method, path, body);
    expect([200, 404, 500]).toContain(answer.status);
    if (answer.status === 200) return;
    expect(answer.body).toMatchObject({ type: 'error', status: answer.status, message: expect.stringMatching(/./) });
    // These texts would mean a defect of the server, which the client cannot correct.
    expect(answer.body.message).not.toMatch(
      /undefined|not a function|Cannot read|is not iterable|BigInt|Invalid (time|array)/,
    );
  });
  await fc.assert(property, { numRuns: Number(process.env.LATEEN_REST_RUNS ?? 200) });
  expect((await world.ask('GET', '/v1/volumes')).status).toBe(200);
  expect((await world.ask('GET', '/v1/nodes')).status).toBe(200);
});

it.each(['%', '%00', '%2e%2e%2f', '%F0%9F%98%80', 'a%2Fb', 'A', '%20', 'x'.repeat(300)])(
  'an object with the name %j does not exist',
  async (name) => {
    for (const path of ['volumes', 'nodes', 'recurringjobs', 'orphans'])
      for (const method of ['GET', 'DELETE'])
        expect([400, 404]).toContain((await world.ask(method, `/v1/${path}/${name}`)).status);
  },
);

it('a body that is too large is rejected before it is read to its end', async () => {
  const answer = await world.ask('POST', '/v1/volumes', 'x'.repeat(1024 * 1024 + 1));
  expect(answer).toMatchObject({ status: 413, body: { type: 'error', code: 'Payload Too Large' } });
});

it.each([
  ['x-api-request-url', 'javascript:alert(1)'],
  ['x-forwarded-host', 'a"><b>'],
  ['x-forwarded-proto', 'ht tp'],
])('a header %s: %s does not break the answer', async (name, value) => {
  const answer = await world.ask('GET', '/v1/volumes', undefined, { [name]: value });
  expect([answer.status, answer.body.type]).toEqual([200, 'collection']);
});
