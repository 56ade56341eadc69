import { archiveWriter, itemPaths } from '@lateen/archive';
import { describe, expect, it } from 'vitest';
import { type BringArchive, changeLines, changesOf, compareArchives, pathText } from './index.ts';

const signal = new AbortController().signal;

interface Stored {
  groupResource?: string;
  namespace?: string;
  name: string;
  object?: unknown;
  body?: string;
}

/** An archive in memory; `passes` counts how often it is downloaded. */
async function archiveOf(items: readonly Stored[]): Promise<BringArchive & { passes: number }> {
  const writer = archiveWriter({ mtimeMs: 0 });
  const pieces = Array.fromAsync(writer.pieces);
  for (const { groupResource = 'configmaps', namespace = 'shop', name, object, body } of items) {
    const item = { groupResource, ...(namespace === '' ? {} : { namespace }), name, version: 'v1', preferred: true };
    for (const path of itemPaths(item)) await writer.add(path, body ?? JSON.stringify(object ?? {}));
  }
  await writer.end();
  const packed = await pieces;
  const bring: BringArchive = async (use) => {
    archive.passes++;
    return await use(
      (async function* () {
        yield* packed;
      })(),
    );
  };
  const archive = Object.assign(bring, { passes: 0 });
  return archive;
}

const textOf = ({ groupResource, namespace, name }: { groupResource: string; namespace?: string; name: string }) =>
  [groupResource, namespace, name].filter((part) => part !== undefined).join('/');

async function compared(before: readonly Stored[], after: readonly Stored[], options = {}) {
  const [a, b] = [await archiveOf(before), await archiveOf(after)];
  const found = await compareArchives(a, b, options, signal);
  const changes = await Array.fromAsync(changesOf(a, b, found.changed, options, signal));
  return {
    added: found.added.map(textOf),
    removed: found.removed.map(textOf),
    unchanged: found.unchanged,
    changed: Object.fromEntries(
      changes.map(({ item, changes: all }) => [
        textOf(item),
        all.flatMap(changeLines).map(({ sign, text }) => `${sign} ${text}`),
      ]),
    ),
  };
}

/** The lines that show the difference between two objects. */
async function linesOf(before: unknown, after: unknown, groupResource = 'configmaps'): Promise<string[]> {
  const stored = (object: unknown): Stored => ({ name: 'x', namespace: '', groupResource, object });
  return (await compared([stored(before)], [stored(after)])).changed[`${groupResource}/x`] ?? [];
}

describe('two backups', () => {
  it('differ in objects that only one of them contains, and in changed objects', async () => {
    const both = { name: 'same', object: { data: { a: '1' }, kind: 'ConfigMap' } };
    const { changed, ...found } = await compared(
      [
        both,
        { name: 'gone' },
        { name: 'node', groupResource: 'nodes', namespace: '' },
        { name: 'c', object: { data: 1 } },
      ],
      [
        { name: 'new', namespace: 'b' },
        { name: 'new', namespace: 'a' },
        { ...both, object: { kind: 'ConfigMap', data: { a: '1' } } },
        { name: 'c', object: { data: 2 } },
      ],
    );
    expect(found).toEqual({
      added: ['configmaps/a/new', 'configmaps/b/new'],
      removed: ['configmaps/shop/gone', 'nodes/node'],
      unchanged: 1,
    });
    expect(changed).toEqual({ 'configmaps/shop/c': ['- data: 1', '+ data: 2'] });
  });

  it('do not differ in fields that the cluster manages, unless the caller asks for them', async () => {
    const object = (count: number) => ({
      metadata: { name: 'x', resourceVersion: `${count}`, generation: count, managedFields: [count], uid: 'u' },
      status: { count },
    });
    const [before, after] = [1, 2].map((count) => [{ name: 'x', object: object(count) }]);
    const same = await compared(before ?? [], after ?? []);
    expect([same.unchanged, same.changed]).toEqual([1, {}]);
    const asked = await compared(before ?? [], after ?? [], { ignored: ['managedFields', 'resourceVersion'] });
    expect(asked.changed['configmaps/shop/x']).toEqual([
      '- metadata.generation: 1',
      '+ metadata.generation: 2',
      '- status.count: 1',
      '+ status.count: 2',
    ]);
  });

  it('compare numbers as written, and entries that are not objects as text', async () => {
    const [old, now] = ['{"spec":{"n":9007199254740993,"m":1.0}}', '{"spec":{"n":9007199254740992,"m":1.0}}'];
    const found = await compared(
      [
        { name: 'n', body: old },
        { name: 't', body: 'x' },
        { name: 'deep', body: '['.repeat(100_000) },
      ],
      [
        { name: 'n', body: now },
        { name: 't', body: '{' },
        { name: 'deep', body: '['.repeat(100_001) },
      ],
    );
    expect(found.changed['configmaps/shop/n']).toEqual(['- spec.n: 9007199254740993', '+ spec.n: 9007199254740992']);
    expect(found.changed['configmaps/shop/t']).toEqual(['- (object): x', '+ (object): {']);
    expect(found.changed['configmaps/shop/deep']).toHaveLength(2);
  });

  it('are read in more passes instead of using more memory', async () => {
    const stored = (value: string) => Array.from({ length: 20 }, (_, at) => ({ name: `c${at}`, object: { value } }));
    const [a, b] = [await archiveOf(stored('1')), await archiveOf(stored('2'))];
    const { changed } = await compareArchives(a, b, {}, signal);
    const changes = await Array.fromAsync(changesOf(a, b, changed, { heldBytesMax: 50 }, signal));
    expect(changes.map(({ item }) => item.name).sort()).toEqual(changed.map(({ name }) => name).sort());
    expect(a.passes).toBe(6);
  });

  it('end without an error when a second pass finds an empty archive', async () => {
    const [a, b] = [
      await archiveOf([{ name: 'x', object: { a: 1 } }]),
      await archiveOf([{ name: 'x', object: { a: 2 } }]),
    ];
    const { changed } = await compareArchives(a, b, {}, signal);
    expect(await Array.fromAsync(changesOf(a, await archiveOf([]), changed, {}, signal))).toEqual([]);
  });
});

describe('a change', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['a value', { a: { b: 1 } }, { a: { b: '1' } }, ['- a.b: 1', '+ a.b: 1']],
    ['a new field', { a: 1 }, { a: 1, b: null }, ['+ b: null']],
    ['a removed field', { a: 1, b: { c: 2 } }, { a: 1 }, ['- b:', '-   c: 2']],
    ['another type', { a: [1] }, { a: { b: 1 } }, ['- a:', '-   - 1', '+ a:', '+   b: 1']],
    ['keys with dots', { m: { 'a.b/c': '1' } }, { m: { 'a.b/c': '2' } }, ['- m["a.b/c"]: 1', '+ m["a.b/c"]: 2']],
    [
      'an entry of a list by its name, at any position',
      { c: [{ name: 'a', image: '1' }, { name: 'b' }] },
      { c: [{ name: 'new' }, { name: 'b' }, { name: 'a', image: '2' }] },
      ['+ c[name=new]:', '+   name: new', '- c[name=a].image: 1', '+ c[name=a].image: 2'],
    ],
    [
      'the order of a list',
      { c: [{ name: 'a' }, { name: 'b' }] },
      { c: [{ name: 'b' }, { name: 'a' }] },
      ['- c:', "-   - '[name=a]'", "-   - '[name=b]'", '+ c:', "+   - '[name=b]'", "+   - '[name=a]'"],
    ],
    ['an entry in the middle of a list', { c: ['a', 'c'] }, { c: ['a', 'b', 'c'] }, ['+ c[1]: b']],
    [
      'entries without names',
      { c: [{ x: 1 }, { x: 2 }, 3] },
      { c: [{ x: 1 }, { x: 5 }] },
      ['- c[1].x: 2', '+ c[1].x: 5', '- c[2]: 3'],
    ],
    [
      'changed lines of a text',
      { data: { conf: 'a\nb\nc\nd\ne\nf\n' } },
      { data: { conf: 'a\nb\nc\nD\ne\nf\n' } },
      ['  data.conf:', '    b', '    c', '-   d', '+   D', '    e', '    f'],
    ],
    ['a text that has more lines', { a: 'x' }, { a: 'x\ny' }, ['- a: x', '+ a:', '+   x', '+   y']],
    ['control characters, escaped', { a: 'x' }, { a: '\u001b[2Jx\u202e' }, ['- a: x', '+ a: \\u001b[2Jx\\u202e']],
    ['a long text, cut', { a: 'x' }, { a: 'y'.repeat(300) }, ['- a: x', `+ a: ${'y'.repeat(197)}…`]],
  ])('shows %s', async (_, before, after, lines) => {
    expect(await linesOf(before, after)).toEqual(lines);
  });

  it('with many lines is cut', async () => {
    const text = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n');
    const lines = await linesOf({ a: text('old') }, { a: text('new') });
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toBe('    … 5961 more lines');
  });

  it('keeps unchanged lines between changed ones', async () => {
    expect(await linesOf({ a: '1\n2\n3\n4' }, { a: '0\n2\n5\n4\n6' })).toEqual([
      '  a:',
      '-   1',
      '+   0',
      '    2',
      '-   3',
      '+   5',
      '    4',
      '+   6',
    ]);
  });

  it('of a Secret shows no value', async () => {
    const secret = (value: string, more: object = {}) => ({
      kind: 'Secret',
      type: 'Opaque',
      data: { password: value, ...more },
      metadata: { labels: { a: value }, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value } },
    });
    const lines = await linesOf(secret('aGlkZGVuMQ=='), secret('aGlkZGVuMg==', { token: 'aGlkZGVuMw==' }), 'secrets');
    expect(lines).toEqual([
      '- data.password: (not shown)',
      '+ data.password: (not shown)',
      '+ data.token: (not shown)',
      '- metadata.labels.a: aGlkZGVuMQ==',
      '+ metadata.labels.a: aGlkZGVuMg==',
      '- metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]: (not shown)',
      '+ metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]: (not shown)',
    ]);
    const bare = { kind: 'Secret', stringData: { a: 'geheim' } };
    expect((await linesOf({ kind: 'Secret' }, bare, 'secrets')).join()).toBe('+ stringData: (not shown)');
    const annotated = {
      metadata: { annotations: { a: '1', 'kubectl.kubernetes.io/last-applied-configuration': 'geheim' } },
    };
    expect((await linesOf({ metadata: {} }, annotated, 'secrets')).join('\n')).not.toContain('geheim');
    expect((await linesOf({}, annotated, 'secrets')).join('\n')).not.toContain('geheim');
  });
});

describe('pathText', () => {
  it.each([
    [[], '(object)'],
    [['a', 0, '[name=x]', 'b-c'], 'a[0][name=x].b-c'],
    [['a.b'], '["a.b"]'],
  ])('of %j', (path, text) => {
    expect(pathText(path)).toBe(text);
  });
});
