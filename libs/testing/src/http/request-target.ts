import type { ResourceType } from '@lateen/kube';

/** The target of a request path. */
export interface RequestTarget {
  type: ResourceType;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
}

/** Parses paths such as `/api/v1/namespaces/velero/pods/x/status`; undefined for an unknown kind. */
export function requestTarget(pathname: string, types: readonly ResourceType[]): RequestTarget | undefined {
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const root = parts.shift();
  const group = root === 'apis' ? parts.shift() : '';
  const version = parts.shift();
  if ((root !== 'api' && root !== 'apis') || version === undefined || parts.length === 0) return undefined;
  const within = (resource: string | undefined) =>
    types.find((type) => type.group === group && type.version === version && type.resource === resource);

  // `/namespaces/x` is the namespace itself, `/namespaces/x/pods` is its content, `/namespaces/x/status` is its subresource.
  const inner = parts[0] === 'namespaces' ? within(parts[2]) : undefined;
  if (inner?.namespaced === true) {
    return { type: inner, namespace: parts[1], name: parts[3], subresource: rest(parts, 4) };
  }
  const type = within(parts[0]);
  return type && { type, namespace: undefined, name: parts[1], subresource: rest(parts, 2) };
}

const rest = (parts: readonly string[], from: number): string | undefined =>
  parts.length > from ? parts.slice(from).join('/') : undefined;
