import type { KubeObject } from '@lateen/api-types';
import type { EventSubject } from './event-body.ts';

/** The object of an Event, of one that comes from the API. */
export function eventSubject({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  const { namespace, name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}
