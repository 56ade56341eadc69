import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { StorageReader } from '../reading/storage-reader.ts';
import type { VolumeWork } from '../volume-actions/volume-work.ts';

/** What the handlers need to answer requests. */
export interface RestPorts {
  readonly api: KubeApi;
  readonly reader: StorageReader;
  /** The namespace of the objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Work that only the host of an engine can do; absent: such actions are refused with a message. */
  readonly work?: VolumeWork | undefined;
}

/** One authorized request. */
export interface RestCall {
  /** The prefix of all links in the answer. */
  readonly base: string;
  /** The requested URL, for links in errors. */
  readonly url: string;
  /** Name in the path; empty for a collection. */
  readonly name: string;
  /** `?action=`; empty without. */
  readonly action: string;
  /** The parsed body; undefined without one. @throws REST_REFUSED when it is not valid JSON */
  body(): unknown;
  /** Aborts when the request has taken too long, or the server stops. */
  readonly signal: AbortSignal;
}

/** The answer: JSON unless a content type is named; no body when it is undefined. */
export interface RestAnswer {
  readonly status?: number;
  readonly contentType?: string;
  /** A warning for the client; one line. */
  readonly warning?: string;
  readonly body?: unknown;
}

export type Handle = (call: RestCall, ports: RestPorts) => RestAnswer | Promise<RestAnswer>;

/** One permission to check with Kubernetes, in the terms of a SubjectAccessReview. */
export interface Need {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent: the namespace of the storage objects. Empty: the whole cluster. */
  readonly namespace?: string;
}

export interface Endpoint {
  readonly handle: Handle;
  /** All of them have to be granted. Empty: every authenticated user is allowed. */
  readonly needs: readonly Need[] | ((call: RestCall) => readonly Need[]);
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Route {
  /** A fastify route pattern: `/v1/volumes/:name`. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<RestMethod, Endpoint>>>;
}

/** A permission on objects of longhorn.io. */
export const longhornNeed = (verb: string, resource: string): Need => ({ verb, group: 'longhorn.io', resource });
