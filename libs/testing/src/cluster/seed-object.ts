import type { KubeObject, Unstructured } from '@lateen/kube';
import { apiTime, type ServerState } from './server-state.ts';
import type { Entry } from './store.ts';

/** A test's object with the metadata that the server adds: UID, creation time. Given values are kept. */
export function completeObject(state: ServerState, object: KubeObject, before: Entry | undefined): Unstructured {
  const { resourceVersion: _, ...given } = object.metadata;
  const old = before?.object.metadata;
  return {
    ...object,
    metadata: {
      ...given,
      uid: given.uid ?? old?.uid ?? state.random.uuid(),
      creationTimestamp: given.creationTimestamp ?? old?.creationTimestamp ?? apiTime(state.clock),
    },
  };
}

/** An active namespace. */
export const namespaceNamed = (name: string): KubeObject & { status: object } => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  status: { phase: 'Active' },
});
