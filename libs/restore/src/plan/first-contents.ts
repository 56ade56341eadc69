import { configMapType, type Unstructured } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import type { ItemRun } from '../engine/item-run.ts';
import type { ReadyObject } from '../item/ready-object.ts';

/**
 * For a plan: objects that the cluster itself creates in a new namespace, so that the restore would find them there: the service account
 * `default` and the certificates of the API server, which are the same in all namespaces. Undefined for every other object.
 */
export async function firstContents(
  run: ItemRun,
  { target }: ReadyObject,
  signal: AbortSignal,
): Promise<Unstructured | undefined> {
  const { item, namespace, name } = target;
  const isAccount = item.groupResource === 'serviceaccounts' && name === 'default';
  const isAuthority = item.groupResource === 'configmaps' && name === 'kube-root-ca.crt';
  if (namespace === undefined || !(isAccount || isAuthority)) return undefined;
  if (isAccount) return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } };
  const { kube, veleroNamespace } = run.ports;
  const ours = await readObject(kube, configMapType, { namespace: veleroNamespace, name }, signal);
  return ours && ({ ...ours, metadata: { ...ours.metadata, namespace } } as unknown as Unstructured);
}
