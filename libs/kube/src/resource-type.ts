import type { ResourceType } from '@lateen/api-types';

export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `datauploads.velero.io`, or `pods` for the core group. */
export function groupResourceText(type: ResourceType): string {
  return type.group === '' ? type.resource : `${type.resource}.${type.group}`;
}

/** The request path: `/apis/velero.io/v2alpha1/namespaces/velero/datauploads/x`. Every part is percent-encoded, case kept. */
export function resourcePath(
  type: ResourceType,
  where: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined },
): string {
  const parts = type.group === '' ? ['api', type.version] : ['apis', type.group, type.version];
  if (type.namespaced && where.namespace !== undefined) parts.push('namespaces', where.namespace);
  parts.push(type.resource);
  if (where.name !== undefined) parts.push(where.name);
  const subresource = where.subresource === undefined ? [] : where.subresource.split('/');
  return `/${[...parts, ...subresource].map(encodeURIComponent).join('/')}`;
}
