import { describe, expect, it } from 'vitest';
import type { PluginOffer } from './plugin-offer.ts';
import { registerOffers } from './register-offers.ts';

const offer = (path: string, kind: PluginOffer['kind'], name: string): PluginOffer => ({
  program: { path, name: path },
  kind,
  name,
  appliesTo: {},
});
const used = ({ plugins }: ReturnType<typeof registerOffers>) =>
  plugins.map(({ program, kind, name }) => `${program.path} ${kind} ${name}`);

describe('registerOffers', () => {
  it('registers what each program lists, in the order of program paths', () => {
    const result = registerOffers(
      [
        offer('/b', 'RestoreItemActionV2', 'x.io/r'),
        offer('/a', 'BackupItemAction', 'x.io/z'),
        offer('/a', 'BackupItemAction', 'x.io/a'),
        offer('/a', 'RestoreItemAction', 'x.io/a'),
      ],
      [],
    );
    expect(used(result)).toEqual([
      '/a BackupItemAction x.io/z',
      '/a BackupItemAction x.io/a',
      '/a RestoreItemAction x.io/a',
      '/b RestoreItemActionV2 x.io/r',
    ]);
    expect([...result.problems, ...result.notes]).toEqual([]);
  });

  it('uses built-in items, and those of the same program that are not built in', () => {
    const builtIn = [{ kind: 'ObjectStore', name: 'velero.io/aws' }] as const;
    const offers = [offer('/aws', 'ObjectStore', 'velero.io/aws'), offer('/aws', 'VolumeSnapshotter', 'velero.io/aws')];
    const result = registerOffers(offers, builtIn);
    expect(used(result)).toEqual(['/aws VolumeSnapshotter velero.io/aws']);
    expect(result.problems).toEqual([]);
    expect(result.notes).toEqual([
      {
        program: '/aws',
        message: 'ObjectStore velero.io/aws is built in: the built-in one is used, not the one of the program',
      },
    ]);
  });

  it('recognizes a built-in action by its name, in any version', () => {
    const result = registerOffers(
      [offer('/csi', 'BackupItemAction', 'velero.io/pvc')],
      [{ kind: 'BackupItemActionV2', name: 'velero.io/pvc' }],
    );
    expect(used(result)).toEqual([]);
    expect(result.notes).toHaveLength(1);
  });

  it.each([[['BackupItemAction', 'BackupItemActionV2']], [['BackupItemActionV2', 'BackupItemAction']]] as const)(
    'uses version 2 of an action that one program has in both versions, listed as %j',
    (kinds) => {
      const result = registerOffers(
        kinds.map((kind) => offer('/a', kind, 'x.io/both')),
        [],
      );
      expect(used(result)).toEqual(['/a BackupItemActionV2 x.io/both']);
      expect(result.notes.map(({ message }) => message)).toEqual([
        'BackupItemAction x.io/both is not used, because its program has BackupItemActionV2 x.io/both too',
      ]);
    },
  );

  it('rejects the second of two programs with the same item, whichever answered first', () => {
    const offers = [offer('/b', 'BackupItemActionV2', 'x.io/a'), offer('/a', 'BackupItemAction', 'x.io/a')];
    const result = registerOffers(offers, []);
    expect(used(result)).toEqual(['/a BackupItemAction x.io/a']);
    expect(result.problems).toEqual([
      {
        program: '/b',
        message: 'BackupItemActionV2 x.io/a is offered by /a already, which is used; remove one of the two programs',
      },
    ]);
  });

  it('rejects an item that a program lists twice', () => {
    const twice = [offer('/a', 'DeleteItemAction', 'x.io/a'), offer('/a', 'DeleteItemAction', 'x.io/a')];
    const result = registerOffers(twice, []);
    expect(used(result)).toHaveLength(1);
    expect(result.problems[0]?.message).toBe('DeleteItemAction x.io/a is listed twice by its program');
  });
});
