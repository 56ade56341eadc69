import { configMapType, secretType } from '@lateen/api-types';
import { parseItemPath, readArchive } from '@lateen/archive';
import { parseExact, resourcePath, stringify } from '@lateen/kube';
import { expect, it } from 'vitest';
import { backUp } from './engine-runs.ts';
import { describeWithApiServer } from './with-api-server.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gears.engine.lateen.dev' },
  spec: {
    group: 'engine.lateen.dev',
    scope: 'Namespaced',
    names: { kind: 'Gear', listKind: 'GearList', plural: 'gears', singular: 'gear' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

await describeWithApiServer('the collection engine against a real kube-apiserver', (under) => {
  async function run(spec: object) {
    const { archive: pieces, outcome, types, troubles } = await backUp(under.kube, spec);
    const archive = async function* () {
      yield* pieces;
    };
    const files = new Map<string, string>();
    for await (const { path, body } of readArchive(archive())) files.set(path, Buffer.from(body).toString('utf8'));
    return { outcome, files, types, troubles };
  }

  it('stores every object as the API server writes it, including the text of its numbers', async () => {
    const { kube } = under;
    const namespace = await under.namespace();
    for (let at = 0; at < 20; at++) {
      const metadata = { name: `map-${at}`, namespace, annotations: { note: 'é <&> "1.0" 9007199254740993' } };
      await kube.create(configMapType, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { 'a.b': '10.0.0.1:80' },
      });
    }
    await kube.create(secretType, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', namespace },
      type: 'Opaque',
      data: { key: 'aHVudGVyMg==' },
    });
    await kube.raw({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(definition),
    });
    const gears = `/apis/engine.lateen.dev/v1/namespaces/${namespace}/gears`;
    const gear = `{"apiVersion":"engine.lateen.dev/v1","kind":"Gear","metadata":{"name":"g"},"spec":{"teeth":9007199254740993,"ratio":1.50,"tiny":1e-7}}`;
    await expect
      .poll(
        () =>
          kube.raw({ method: 'POST', path: gears, headers: { 'content-type': 'application/json' }, body: gear }).then(
            () => 'made',
            () => 'not yet',
          ),
        { timeout: 100_000 },
      )
      .toBe('made');
    const { files, outcome, types, troubles } = await run({ includedNamespaces: [namespace] });
    expect(troubles).toEqual([]);
    expect(outcome.itemsBackedUp).toBeGreaterThanOrEqual(24);
    let compared = 0;
    for (const [path, text] of files) {
      const item = parseItemPath(path);
      if (item === undefined || item.version !== undefined) continue;
      const type = types.find(
        ({ resource, group, preferred }) =>
          preferred && [resource, group].filter((part) => part !== '').join('.') === item.groupResource,
      );
      if (type === undefined) throw new Error(`no type of ${path}`);
      const stored = await kube.raw({ path: resourcePath(type, item) });
      // The order of fields may differ in the two that lists leave out, and the server escapes <&>; numbers are compared as text.
      expect(sortedText(text)).toBe(sortedText(stringify(parseExact(stored))));
      compared++;
    }
    expect(compared).toBe(outcome.itemsBackedUp);
    expect(files.get(`resources/gears.engine.lateen.dev/namespaces/${namespace}/g.json`)).toContain(
      '"spec":{"ratio":1.5,"teeth":9007199254740993,"tiny":1e-7}',
    );
    expect(
      files.has('resources/customresourcedefinitions.apiextensions.k8s.io/cluster/gears.engine.lateen.dev.json'),
    ).toBe(true);
  });

  it('backs up a whole real cluster without a warning or error', async () => {
    const { outcome, troubles, types } = await run({});
    expect(troubles).toEqual([]);
    expect(types.length).toBeGreaterThan(50);
    expect(outcome.itemsBackedUp).toBeGreaterThan(20);
  });
});

/** The sorted characters of a text: equal for two texts that differ only in the order of fields. */
const sortedText = (text: string): string => [...text].sort().join('');
