import type { PluginKind } from '@lateen/plugin-protocol';
import type { PluginProblem } from './find-programs.ts';
import type { PluginOffer } from './plugin-offer.ts';

/** A plugin that is part of the product. */
export interface BuiltInPlugin {
  kind: PluginKind;
  name: string;
}

export interface Registration {
  /** The plugins in use, in the order of the programs' paths and of each program's list. */
  plugins: readonly PluginOffer[];
  /** The refused plugins. */
  problems: readonly PluginProblem[];
  /** Plugins that are offered and not used, without an error. */
  notes: readonly PluginProblem[];
}

/** Versions of an action that do the same for an item: only one of them may get it. */
const families: Readonly<Record<PluginKind, string>> = {
  BackupItemAction: 'backup item action',
  BackupItemActionV2: 'backup item action',
  RestoreItemAction: 'restore item action',
  RestoreItemActionV2: 'restore item action',
  DeleteItemAction: 'delete item action',
  ItemBlockAction: 'item block action',
  VolumeSnapshotter: 'volume snapshotter',
  ObjectStore: 'object store',
};

/**
 * Decides which plugins are used. Pure.
 * - Built-in plugins stay: a program's plugin of the same name is not used.
 * - If one program offers two versions of an action, the newer one is used.
 * - If two programs offer the same name, the first by path is used, and the other one's plugin is refused.
 */
export function registerOffers(offers: readonly PluginOffer[], builtIn: readonly BuiltInPlugin[]): Registration {
  const inside = new Set(builtIn.map(keyOf));
  const used = new Map<string, PluginOffer>();
  const problems: PluginProblem[] = [];
  const notes: PluginProblem[] = [];
  const say = (to: PluginProblem[], { program, kind, name }: PluginOffer, why: string) =>
    to.push({ program: program.path, message: `${kind} ${name} ${why}` });
  for (const offer of [...offers].sort(byPath)) {
    const key = keyOf(offer);
    const other = used.get(key);
    if (inside.has(key)) say(notes, offer, 'is built in: the built-in one is used, not the one of the program');
    else if (other === undefined) used.set(key, offer);
    else if (other.program.path !== offer.program.path) {
      say(
        problems,
        offer,
        `is offered by ${other.program.path} already, which is used; remove one of the two programs`,
      );
    } else if (other.kind === offer.kind) say(problems, offer, 'is listed twice by its program');
    else {
      const [newer, older] = isNewer(offer) ? [offer, other] : [other, offer];
      used.set(key, newer);
      say(notes, older, `is not used, because its program has ${newer.kind} ${newer.name} too`);
    }
  }
  return { plugins: [...used.values()], problems, notes };
}

const keyOf = ({ kind, name }: BuiltInPlugin): string => `${families[kind]} ${name}`;
const isNewer = ({ kind }: PluginOffer): boolean => kind.endsWith('V2');
const byPath = (a: PluginOffer, b: PluginOffer): number =>
  a.program.path < b.program.path ? -1 : a.program.path > b.program.path ? 1 : 0;
