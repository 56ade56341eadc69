import type { EventSubject, KubeObject } from '@lateen/kube';

/** The object of an Event, of one that comes from the API. */
export function eventSubject({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  const { namespace, name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}
