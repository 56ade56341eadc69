import { later } from './definitions.ts';
import { completeObject } from './seed-object.ts';
import type { ServerState } from './server-state.ts';
import { type Change, typeKeyOfObject } from './store.ts';

/** The objects that controllers of a whole cluster create in each new namespace. */
export function fillNamespace(state: ServerState, { type, entry }: Change): void {
  if (!state.strict || type !== 'ADDED' || entry.typeKey !== '/Namespace') return;
  const namespace = entry.key.name;
  const contents = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'default' } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        namespace,
        name: 'kube-root-ca.crt',
        annotations: {
          'kubernetes.io/description': 'Contains a CA bundle that can be used to verify the kube-apiserver',
        },
      },
      data: { 'ca.crt': 'the authority of this cluster\n' },
    },
  ];
  later(state, 0, () => {
    if (state.store.get('/Namespace', { name: namespace }) === undefined) return;
    for (const object of contents) {
      const typeKey = typeKeyOfObject(object);
      const key = { namespace, name: object.metadata.name };
      if (state.store.get(typeKey, key) === undefined) {
        state.store.put(typeKey, key, completeObject(state, object, undefined));
      }
    }
  });
}
