import { describe, expect, it } from 'vitest';
import type { CatalogItem } from '../engine/contract.ts';
import { anItem, finder, identifierOf } from '../testing/catalog-items.ts';
import { buildGraph } from './build-graph.ts';
import { gateText } from './gates.ts';
import type { GraphRules } from './graph-rules.ts';
import { namedResources } from './named-resources.ts';
import { PriorityOrder, parsePriorities, prioritiesDefault } from './priorities.ts';
import { itemText, planEdges, type RestoreGraph } from './restore-graph.ts';

function graphOf(
  items: readonly CatalogItem[],
  priorities: readonly string[] = prioritiesDefault,
  rules: Partial<GraphRules> = {},
): RestoreGraph {
  const named = namedResources(items, () => undefined);
  const order = new PriorityOrder(parsePriorities(priorities), named);
  return buildGraph(items, { order, named, mapped: (namespace) => namespace, find: finder(items), ...rules });
}

const textOf = ({ items, gates }: RestoreGraph, node: number): string => {
  const item = items[node];
  const gate = gates[node - items.length];
  return item === undefined ? (gate === undefined ? '' : gateText(gate)) : itemText(item);
};

/** Whether one object always ends before the other starts. */
function isBefore(graph: RestoreGraph, one: string, other: string): boolean {
  const { edges } = graph;
  const start = graph.items.findIndex((item) => itemText(item) === one);
  const ahead = [start];
  const seen = new Set<number>();
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (node !== start && textOf(graph, node) === other) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    for (let place = edges.first(node); place < edges.end(node); place++) ahead.push(edges.to(place));
  }
  return false;
}

/** The order in which a serial restore processes the graph. */
function serial(graph: RestoreGraph): string[] {
  const pending = graph.edges.incoming.slice();
  const done: string[] = [];
  for (;;) {
    let next = -1;
    for (const [node, count] of pending.entries())
      if (count === 0 && (next < 0 || (graph.ranks[node] as number) < (graph.ranks[next] as number))) next = node;
    if (next < 0) return done;
    pending[next] = -1;
    if (next < graph.items.length) done.push(textOf(graph, next));
    for (let place = graph.edges.first(next); place < graph.edges.end(next); place++)
      (pending[graph.edges.to(place)] as number)--;
  }
}

const some = (...texts: string[]): CatalogItem[] => texts.map((text) => anItem(text));

describe('buildGraph', () => {
  it('orders objects as Velero does when one object is restored at a time: by the list, then by name', () => {
    const graph = graphOf(
      some(
        'deployments.apps shop/db',
        'services shop/db',
        'pods shop/b',
        'pods shop/a',
        'pods app/c',
        'replicasets.apps shop/db-1',
        'configmaps shop/settings',
        'secrets shop/key',
        'serviceaccounts shop/db',
        'persistentvolumes pv-1',
        'persistentvolumeclaims shop/data',
        'clusters.cluster.x-k8s.io shop/c',
        'widgets.example.com shop/w',
      ),
    );
    expect(serial(graph)).toEqual([
      'persistentvolumes pv-1',
      'persistentvolumeclaims shop/data',
      'serviceaccounts shop/db',
      'secrets shop/key',
      'configmaps shop/settings',
      'pods app/c',
      'pods shop/a',
      'pods shop/b',
      'replicasets.apps shop/db-1',
      'services shop/db',
      'deployments.apps shop/db',
      'widgets.example.com shop/w',
      'clusters.cluster.x-k8s.io shop/c',
    ]);
  });

  it.each<[one: string, other: string, expected?: boolean]>([
    ['storageclasses.storage.k8s.io fast', 'persistentvolumeclaims shop/data'],
    ['storageclasses.storage.k8s.io fast', 'persistentvolumes pv-1'],
    ['volumesnapshotclasses.snapshot.storage.k8s.io snap', 'volumesnapshots.snapshot.storage.k8s.io shop/s'],
    ['volumesnapshotcontents.snapshot.storage.k8s.io c', 'volumesnapshots.snapshot.storage.k8s.io shop/s'],
    ['volumesnapshots.snapshot.storage.k8s.io shop/s', 'persistentvolumeclaims shop/data'],
    ['datauploads.velero.io velero/du', 'persistentvolumes pv-1', false],
    ['serviceaccounts shop/db', 'secrets shop/token'],
    ['serviceaccounts shop/db', 'pods shop/a'],
    ['roles.rbac.authorization.k8s.io shop/r', 'pods shop/a'],
    ['rolebindings.rbac.authorization.k8s.io shop/r', 'pods shop/a'],
    ['clusterroles.rbac.authorization.k8s.io r', 'pods shop/a'],
    ['clusterrolebindings.rbac.authorization.k8s.io r', 'pods shop/a'],
    ['secrets shop/token', 'pods shop/a'],
    ['configmaps shop/settings', 'pods shop/a'],
    ['limitranges shop/l', 'pods shop/a'],
    ['priorityclasses.scheduling.k8s.io high', 'pods shop/a'],
    ['persistentvolumeclaims shop/data', 'limitranges shop/l'],
    ['persistentvolumeclaims shop/data', 'statefulsets.apps shop/db'],
    ['pods shop/a', 'replicasets.apps shop/db'],
    ['pods shop/a', 'replicationcontrollers shop/db'],
    ['pods shop/a', 'deployments.apps shop/db'],
    ['replicasets.apps shop/db', 'deployments.apps shop/db'],
    ['pods shop/a', 'statefulsets.apps shop/db'],
    ['pods shop/a', 'daemonsets.apps shop/db'],
    ['pods shop/a', 'jobs.batch shop/once'],
    ['pods shop/a', 'cronjobs.batch shop/nightly'],
    ['jobs.batch shop/once', 'cronjobs.batch shop/nightly'],
    ['endpoints shop/db', 'services shop/db'],
    ['services shop/db', 'endpointslices.discovery.k8s.io shop/db-1'],
    ['limitranges shop/l', 'replicasets.apps shop/db'],
    ['limitranges shop/l', 'cronjobs.batch shop/nightly'],
    ['serviceaccounts shop/db', 'deployments.apps shop/db'],
    ['ingressclasses.networking.k8s.io nginx', 'ingresses.networking.k8s.io shop/web'],
    [
      'customresourcedefinitions.apiextensions.k8s.io w.example.com',
      'apiservices.apiregistration.k8s.io v1.example.com',
    ],
    ['secrets shop/password', 'widgets.example.com shop/w'],
    ['configmaps shop/settings', 'widgets.example.com shop/w'],
    ['services shop/db', 'widgets.example.com w'],
    ['secrets app/password', 'widgets.example.com shop/w', false],
    ['secrets shop/password', 'gateways.gateway.networking.k8s.io shop/g', false],
    ['pods shop/a', 'widgets.example.com shop/w', false],
    ['statefulsets.apps shop/db', 'resourcequotas shop/q'],
    ['statefulsets.apps shop/db', 'validatingwebhookconfigurations.admissionregistration.k8s.io v'],
    ['widgets.example.com shop/w', 'mutatingwebhookconfigurations.admissionregistration.k8s.io m'],
    ['widgets.example.com shop/w', 'validatingadmissionpolicybindings.admissionregistration.k8s.io p'],
    // Objects in another namespace, or objects without a dependency.
    ['pods shop/a', 'replicasets.apps app/db', false],
    ['statefulsets.apps shop/db', 'resourcequotas app/q', false],
    ['secrets shop/token', 'configmaps shop/settings', false],
    ['persistentvolumes pv-1', 'persistentvolumeclaims shop/data', false],
    ['persistentvolumeclaims shop/data', 'pods shop/a', false],
    ['deployments.apps shop/db', 'services shop/db', false],
  ])('%s before %s', (one, other, expected = true) => {
    const graph = graphOf(some(other, one));
    expect(isBefore(graph, one, other)).toBe(expected);
    expect(isBefore(graph, other, one)).toBe(false);
    expect(graph.dropped).toEqual([]);
  });

  it('has far fewer edges than pairs of objects that depend on each other', () => {
    const items = Array.from({ length: 1_000 }, (_, at) => [anItem(`secrets shop/s${at}`), anItem(`pods shop/p${at}`)]);
    const { edges } = graphOf(items.flat());
    expect(edges.incoming.reduce((sum, count) => sum + count, 0)).toBeLessThan(5_000);
  });

  it('has about as many edges as objects when cluster-scoped resources wait for objects of all namespaces', () => {
    const items = Array.from({ length: 500 }, (_, at) => [
      anItem(`secrets ns${at}/s`),
      anItem(`widgets.example.com w${at}`),
    ]);
    const graph = graphOf(items.flat());
    expect(graph.edges.incoming.reduce((sum, count) => sum + count, 0)).toBeLessThan(3_000);
    expect(isBefore(graph, 'secrets ns7/s', 'widgets.example.com w9')).toBe(true);
  });

  it("follows the order of the user's list for two kinds that it contains", () => {
    const items = some('pods shop/a', 'replicasets.apps shop/db', 'deployments.apps shop/db');
    const graph = graphOf(items, ['deployments.apps', 'replicasets.apps', 'pods']);
    expect(serial(graph)).toEqual(['deployments.apps shop/db', 'replicasets.apps shop/db', 'pods shop/a']);
  });

  it('keeps its own rules for kinds that the list does not contain', () => {
    const graph = graphOf(some('persistentvolumeclaims shop/data', 'datauploads.velero.io velero/du'), [
      'persistentvolumeclaims',
    ]);
    expect(serial(graph)).toEqual(['persistentvolumeclaims shop/data', 'datauploads.velero.io velero/du']);
  });

  it('places definitions before their own custom resources only', () => {
    const graph = graphOf(
      some(
        'customresourcedefinitions.apiextensions.k8s.io widgets.example.com',
        'widgets.example.com shop/w',
        'gadgets.example.com shop/g',
      ),
    );
    const definition = 'customresourcedefinitions.apiextensions.k8s.io widgets.example.com';
    expect(isBefore(graph, definition, 'widgets.example.com shop/w')).toBe(true);
    expect(isBefore(graph, definition, 'gadgets.example.com shop/g')).toBe(false);
  });

  it('places an object after the objects that it needs', () => {
    const claim = anItem('persistentvolumeclaims shop/data', { needs: [identifierOf('persistentvolumes pv-1')] });
    const pod = anItem('pods shop/db', {
      needs: [identifierOf('persistentvolumeclaims shop/data'), identifierOf('secrets shop/none')],
    });
    const graph = graphOf([pod, claim, ...some('persistentvolumes pv-1', 'persistentvolumes pv-2')]);
    expect(isBefore(graph, 'persistentvolumes pv-1', 'pods shop/db')).toBe(true);
    expect(isBefore(graph, 'persistentvolumes pv-2', 'pods shop/db')).toBe(false);
  });

  it('places a custom resource before the pods and claims that it owns and after everything else, and a ReplicaSet after its pods', () => {
    const cluster = anItem('clusters.postgresql.cnpg.io shop/db');
    const rollout = anItem('rollouts.argoproj.io shop/web');
    const replicaSet = anItem('replicasets.apps shop/web');
    const ownedBy = ({ uid = '', apiVersion, kind, name }: CatalogItem) => ({
      owners: [{ uid, apiVersion, kind, name, controller: true }],
    });
    const graph = graphOf([
      cluster,
      rollout,
      { ...replicaSet, ...ownedBy(rollout) },
      anItem('pods shop/db-1', ownedBy(cluster)),
      anItem('persistentvolumeclaims shop/db-1', ownedBy(cluster)),
      anItem('jobs.batch shop/db-join', ownedBy(cluster)),
      anItem('poddisruptionbudgets.policy shop/db', ownedBy(cluster)),
      anItem('pods shop/web-1', ownedBy(replicaSet)),
    ]);
    expect(isBefore(graph, 'clusters.postgresql.cnpg.io shop/db', 'pods shop/db-1')).toBe(true);
    expect(isBefore(graph, 'clusters.postgresql.cnpg.io shop/db', 'persistentvolumeclaims shop/db-1')).toBe(true);
    expect(isBefore(graph, 'poddisruptionbudgets.policy shop/db', 'clusters.postgresql.cnpg.io shop/db')).toBe(true);
    expect(isBefore(graph, 'jobs.batch shop/db-join', 'clusters.postgresql.cnpg.io shop/db')).toBe(false);
    expect(isBefore(graph, 'pods shop/web-1', 'replicasets.apps shop/web')).toBe(true);
    expect(isBefore(graph, 'replicasets.apps shop/web', 'rollouts.argoproj.io shop/web')).toBe(true);
    expect(graph.dropped).toEqual([]);
  });

  it('breaks a cycle by the serial order, and reports the dropped edge', () => {
    const one = anItem('widgets.example.com shop/a', { needs: [identifierOf('widgets.example.com shop/b')] });
    const two = anItem('widgets.example.com shop/b', { needs: [identifierOf('widgets.example.com shop/a')] });
    const graph = graphOf([two, one, anItem('widgets.example.com shop/c')]);
    expect(serial(graph)).toEqual([
      'widgets.example.com shop/a',
      'widgets.example.com shop/b',
      'widgets.example.com shop/c',
    ]);
    expect(graph.dropped.map(({ from, to, reason }) => [textOf(graph, from), textOf(graph, to), reason])).toEqual([
      ['widgets.example.com shop/b', 'widgets.example.com shop/a', 'needs'],
    ]);
  });

  it('breaks a cycle between kinds by dropping a reference between objects, and keeps the order of kinds', () => {
    const pod = anItem('pods shop/a', { needs: [identifierOf('replicasets.apps shop/db')] });
    const graph = graphOf([pod, ...some('pods shop/b', 'replicasets.apps shop/db')]);
    expect(serial(graph)).toEqual(['pods shop/a', 'pods shop/b', 'replicasets.apps shop/db']);
    expect(graph.dropped.map(({ reason }) => reason)).toEqual(['needs']);
  });

  it.each([
    { after: 'deployments.apps/shop/db', before: 'deployments.apps shop/db' },
    { after: 'Deployment.apps/db', before: 'deployments.apps shop/db' },
    { after: ' clusters.postgresql.cnpg.io , ', before: 'clusters.postgresql.cnpg.io shop/main' },
    { after: 'storageclasses.storage.k8s.io/fast', before: 'storageclasses.storage.k8s.io fast' },
    { after: 'namespacedthings.example.com/app/x', before: 'namespacedthings.example.com app/x' },
  ])('places an object after what its annotation names: $after', ({ after, before }) => {
    const object = anItem('configmaps shop/late', { annotations: { 'lateen.dev/restore-after': after } });
    const graph = graphOf([object, anItem(before), anItem('configmaps shop/other')]);
    expect(isBefore(graph, before, 'configmaps shop/late')).toBe(true);
    expect(isBefore(graph, before, 'configmaps shop/other')).toBe(false);
    expect(graph.problems).toEqual([]);
  });

  it('does not wait for objects of another namespace when an annotation names only their kind', () => {
    const object = anItem('configmaps shop/late', { annotations: { 'lateen.dev/restore-after': 'deployments.apps' } });
    const graph = graphOf([object, anItem('deployments.apps app/db')]);
    expect(isBefore(graph, 'deployments.apps app/db', 'configmaps shop/late')).toBe(false);
  });

  it.each(['unknowns.example.com/shop/a', 'pods/a/b/c'])('reports that %s is not understood', (after) => {
    const object = anItem('pods shop/late', { annotations: { 'lateen.dev/restore-after': after } });
    expect(graphOf([object]).problems).toEqual([
      { item: object, text: `lateen.dev/restore-after: ${after} names nothing that is known` },
    ]);
  });

  it('does not wait for an object that is not restored', () => {
    const object = anItem('pods shop/late', { annotations: { 'lateen.dev/restore-after': 'pods/shop/gone' } });
    const graph = graphOf([object]);
    expect([serial(graph), graph.problems]).toEqual([['pods shop/late'], []]);
  });

  it('places kinds after the kinds that the policies require', () => {
    const requirements = [{ groupKind: 'configmaps', requires: ['Deployment.apps', 'gadgets.example.com'] }];
    const graph = graphOf(
      some('configmaps shop/a', 'deployments.apps shop/db', 'deployments.apps app/web', 'gadgets.example.com g'),
      prioritiesDefault,
      { requirements },
    );
    expect(isBefore(graph, 'deployments.apps shop/db', 'configmaps shop/a')).toBe(true);
    expect(isBefore(graph, 'gadgets.example.com g', 'configmaps shop/a')).toBe(true);
    expect(isBefore(graph, 'deployments.apps app/web', 'configmaps shop/a')).toBe(false);
  });

  it('reports unknown kinds in the policies', () => {
    const requirements = [{ groupKind: 'configmaps', requires: ['nothings.example.com'] }];
    expect(graphOf(some('configmaps shop/a'), prioritiesDefault, { requirements }).problems).toEqual([
      { text: 'restoreOrder: no resource nothings.example.com is known' },
    ]);
  });

  it('ignores a policy that would let controllers interfere, and keeps the other rules', () => {
    const requirements = [{ groupKind: 'pods', requires: ['replicasets.apps'] }];
    const graph = graphOf(some('pods shop/a', 'pods shop/b', 'replicasets.apps shop/db'), prioritiesDefault, {
      requirements,
    });
    expect(serial(graph)).toEqual(['pods shop/a', 'pods shop/b', 'replicasets.apps shop/db']);
    expect(graph.dropped.map(({ reason }) => reason)).toEqual(['declared']);
  });

  it('places objects that a webhook checks after its Service and pods', () => {
    const backends = some('services certs/webhook', 'pods certs/webhook-1');
    const webhooks = [
      { service: { namespace: 'certs', name: 'webhook' }, backends, groupResources: ['certificates.cert-manager.io'] },
    ];
    const graph = graphOf(
      [...backends, ...some('certificates.cert-manager.io shop/c', 'widgets.example.com shop/w')],
      prioritiesDefault,
      { webhooks },
    );
    expect(isBefore(graph, 'pods certs/webhook-1', 'certificates.cert-manager.io shop/c')).toBe(true);
    expect(isBefore(graph, 'services certs/webhook', 'certificates.cert-manager.io shop/c')).toBe(true);
    expect(isBefore(graph, 'pods certs/webhook-1', 'widgets.example.com shop/w')).toBe(false);
  });

  it('creates no namespace for objects that only describe where data is', () => {
    const graph = graphOf(some('datauploads.velero.io velero/du', 'pods shop/a'));
    expect(graph.gates).toEqual([{ type: 'namespace', namespace: 'shop' }]);
  });

  it('lists which object waits for which', () => {
    const claim = anItem('persistentvolumeclaims shop/data', { needs: [identifierOf('persistentvolumes pv-1')] });
    expect([...planEdges(graphOf([claim, anItem('persistentvolumes pv-1')]))]).toEqual([
      { earlier: 'persistentvolumes pv-1', later: 'persistentvolumeclaims shop/data', why: 'needs' },
      { earlier: 'namespace shop is there', later: 'persistentvolumeclaims shop/data', why: 'namespace' },
    ]);
  });
});
