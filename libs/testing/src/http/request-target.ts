import type { ResourceType } from '@lateen/kube';

/** What a request path points at. */
export interface RequestTarget {
  type: ResourceType;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
}

/** `/api/v1/namespaces/velero/pods/x/status` and its like; undefined when no known kind is meant. */
export function requestTarget(pathname: string, types: readonly ResourceType[]): RequestTarget | undefined {
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const root = parts.shift();
  const group = root === 'apis' ? parts.shift() : '';
  const version = parts.shift();
  if ((root !== 'api' && root !== 'apis') || version === undefined || parts.length === 0) return undefined;
  const within = (resource: string | undefined) =>
    types.find((type) => type.group === group && type.version === version && type.resource === resource);

  // `/namespaces/x` is the namespace itself, `/namespaces/x/pods` is something inside, `/namespaces/x/status` is neither.
  const inner = parts[0] === 'namespaces' ? within(parts[2]) : undefined;
  if (inner?.namespaced === true) {
    return { type: inner, namespace: parts[1], name: parts[3], subresource: rest(parts, 4) };
  }
  const type = within(parts[0]);
  return type && { type, namespace: undefined, name: parts[1], subresource: rest(parts, 2) };
}

const rest = (parts: readonly string[], from: number): string | undefined =>
  parts.length > from ? parts.slice(from).join('/') : undefined;
