import type { DeleteOptions, JsonPatchOperation, KubeObject, Patch, Unstructured, WriteOptions } from '@lateen/kube';
import { apiVersionOf } from '@lateen/kube';
import { badRequest, unknownPath, unsupportedMediaType } from '../cluster/api-error.ts';
import { parseExactly } from '../cluster/exact-json.ts';
import type { FakeCluster } from '../cluster/fake-cluster.ts';
import type { RequestTarget } from './request-target.ts';

export interface FrontRequest {
  method: string;
  target: RequestTarget;
  query: URLSearchParams;
  contentType: string;
  accept: string;
  body: string;
  signal: AbortSignal;
}

export interface FrontAnswer {
  httpStatus: number;
  body: unknown;
}

/** Handles one request of any verb but watch through the cluster's KubeApi. */
export async function answerRequest(cluster: FakeCluster, request: FrontRequest): Promise<FrontAnswer> {
  const { method, target, query, signal } = request;
  const { type, namespace, name, subresource } = target;
  const write: WriteOptions = {
    signal,
    ...given(query, 'fieldManager'),
    ...(query.get('dryRun') === 'All' ? { dryRun: true } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  };
  if (name === undefined) {
    if (method === 'GET') return { httpStatus: 200, body: await listBody(cluster, request) };
    if (method !== 'POST') throw unknownPath();
    const created = await cluster.create(type, parsed(request) as KubeObject, { ...write, namespace });
    return { httpStatus: 201, body: created };
  }
  const key = { namespace, name };
  switch (method) {
    case 'GET': {
      const options = { signal, numbers: 'exact', ...(subresource === undefined ? {} : { subresource }) } as const;
      return { httpStatus: 200, body: await cluster.get(type, key, options) };
    }
    case 'POST': {
      const body = parsed(request) as KubeObject;
      const object = { ...body, metadata: { ...body.metadata, name } };
      return { httpStatus: 201, body: await cluster.create(type, object, { ...write, namespace }) };
    }
    case 'PUT': {
      const body = parsed(request) as KubeObject;
      checkNameOnPath(body, name);
      const object = { ...body, metadata: { ...body.metadata, name, ...(namespace ? { namespace } : {}) } };
      return { httpStatus: 200, body: await cluster.update(type, object, write) };
    }
    case 'PATCH':
      return { httpStatus: 200, body: await cluster.patch(type, key, patchOf(request), write) };
    case 'DELETE':
      await cluster.delete(type, key, { signal, ...deleteOptions(request) });
      return { httpStatus: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
    default:
      throw unknownPath();
  }
}

async function listBody(cluster: FakeCluster, { target, query, accept, signal }: FrontRequest): Promise<object> {
  const { type, namespace } = target;
  const page = await cluster.list<Unstructured>(type as never, {
    namespace,
    signal,
    numbers: 'exact',
    limit: Number(query.get('limit') ?? 0),
    ...given(query, 'labelSelector'),
    ...given(query, 'fieldSelector'),
    ...given(query, 'continue'),
    ...given(query, 'resourceVersion'),
  });
  const builtIn = !type.group.includes('.') || type.group.endsWith('.k8s.io');
  // The real server omits kind and apiVersion in the items of built-in kinds.
  const items = page.items.map(({ kind, apiVersion, ...item }) => (builtIn ? item : { apiVersion, kind, ...item }));
  const { resourceVersion } = page;
  const metadata = {
    resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  if (accept.includes('as=PartialObjectMetadataList')) {
    const view = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    return {
      ...view,
      kind: `${view.kind}List`,
      metadata,
      items: items.map((item) => ({ ...view, metadata: item.metadata })),
    };
  }
  return { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata, items };
}

function patchOf(request: FrontRequest): Patch {
  const body = parsed(request);
  switch (request.contentType) {
    case 'application/merge-patch+json':
      return { type: 'merge', body };
    case 'application/json-patch+json':
      return { type: 'json', body: body as JsonPatchOperation[] };
    case 'application/strategic-merge-patch+json':
      return { type: 'strategic', body };
    case 'application/apply-patch+yaml':
      return { type: 'apply', body, force: request.query.get('force') === 'true' };
    default:
      throw unsupportedMediaType('application/json-patch+json, application/merge-patch+json');
  }
}

function deleteOptions(request: FrontRequest): DeleteOptions {
  const body = request.body === '' ? {} : (parsed(request) as DeleteOptions);
  const policy = request.query.get('propagationPolicy') as DeleteOptions['propagationPolicy'] | null;
  const { propagationPolicy = policy ?? undefined, gracePeriodSeconds, preconditions } = body;
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}

function checkNameOnPath(body: KubeObject, name: string): void {
  const own = body.metadata?.name;
  if (own !== undefined && own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
}

function parsed(request: FrontRequest): unknown {
  try {
    return parseExactly(request.body);
  } catch (cause) {
    throw badRequest(`the object provided is unrecognized: ${(cause as Error).message}`);
  }
}

const given = <F extends string>(query: URLSearchParams, field: F): { [field in F]?: string } => {
  const value = query.get(field);
  return value === null || value === '' ? {} : ({ [field]: value } as { [field in F]?: string });
};
