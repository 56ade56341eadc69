import { annotations } from '@lateen/api-types';
import type { CatalogItem } from '../engine/contract.ts';
import type { GraphBuilding } from './graph-building.ts';
import type { GraphRules } from './graph-rules.ts';
import type { KindBarrier } from './kind-barriers.ts';

/** The restore policies' kind orders as barriers. An unknown kind is a problem, because the order would silently have no effect. */
export function requirementBarriers(building: GraphBuilding, { requirements = [], named }: GraphRules): KindBarrier[] {
  return requirements.flatMap(({ groupKind, requires }) => {
    const [kind, ...after] = [groupKind, ...requires].map((name) => {
      const found = named(name);
      if (found === undefined) building.problems.push({ text: `restoreOrder: no resource ${name} is known` });
      return found;
    });
    const known = after.filter((each) => each !== undefined && each !== kind) as string[];
    return kind === undefined || known.length === 0
      ? []
      : [{ kind, after: known, why: 'the policies of the restore say so' }];
  });
}

/** `lateen.dev/restore-after`: a kind with a place, or only a kind, which means all its objects in the same namespace and cluster-scoped. */
export function addDeclaredEdges(building: GraphBuilding, rules: GraphRules): void {
  for (const [node, item] of building.items.entries()) {
    const text = item.annotations?.[annotations.restoreAfter];
    if (text === undefined) continue;
    for (const entry of text.split(',').map((each) => each.trim())) {
      if (entry === '') continue;
      const [name = '', ...place] = entry.split('/');
      const groupResource = rules.named(name);
      if (groupResource === undefined || place.length > 2)
        building.problems.push({ item, text: `${annotations.restoreAfter}: ${entry} names nothing that is known` });
      else
        for (const before of declared(building, rules, item, groupResource, place))
          building.edges.add(before, node, 'declared');
    }
  }
}

/** The declared objects, without those that are not restored: nothing waits for them. */
function declared(
  building: GraphBuilding,
  { find }: GraphRules,
  { namespace }: CatalogItem,
  groupResource: string,
  place: readonly string[],
): readonly number[] {
  if (place.length === 0) return building.gatesBehind(groupResource, namespace);
  const [resource = '', ...group] = groupResource.split('.');
  const [name = '', given] = place.toReversed();
  const named = { group: group.join('.'), resource, name };
  // A place with one part is in the object's own namespace or cluster-scoped.
  const inside = given ?? namespace;
  const found = (inside === undefined ? undefined : find({ ...named, namespace: inside })) ?? find(named);
  const node = building.nodeOf(found);
  return node === undefined ? [] : [node];
}
