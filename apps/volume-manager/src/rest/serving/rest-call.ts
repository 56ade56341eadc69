import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { StorageReader } from '../reading/storage-reader.ts';
import type { VolumeWork } from '../volume-actions/volume-work.ts';

/** What requests are answered with. */
export interface RestPorts {
  readonly api: KubeApi;
  readonly reader: StorageReader;
  /** Where the objects are. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What only the host of an engine can do; absent: such actions are refused and say so. */
  readonly work?: VolumeWork | undefined;
}

/** One request, after it was let in. */
export interface RestCall {
  /** What all links of the answer begin with. */
  readonly base: string;
  /** What was asked for, for links of errors. */
  readonly url: string;
  /** Name in the path; empty for a collection. */
  readonly name: string;
  /** `?action=`; empty without. */
  readonly action: string;
  /** The body, parsed; undefined without one. @throws REST_REFUSED when it is no JSON */
  body(): unknown;
  /** Aborts when the request has taken too long, or the server stops. */
  readonly signal: AbortSignal;
}

/** What is sent back: JSON unless a content type is named; nothing for an undefined body. */
export interface RestAnswer {
  readonly status?: number;
  readonly contentType?: string;
  /** Something that the client should know of what was done; one line. */
  readonly warning?: string;
  readonly body?: unknown;
}

export type Handle = (call: RestCall, ports: RestPorts) => RestAnswer | Promise<RestAnswer>;

/** One right that Kubernetes is asked about, in the words of a SubjectAccessReview. */
export interface Need {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent: that of the storage objects. Empty: of the whole cluster. */
  readonly namespace?: string;
}

export interface Endpoint {
  readonly handle: Handle;
  /** Every one of them has to be granted. Empty: whoever is known may. */
  readonly needs: readonly Need[] | ((call: RestCall) => readonly Need[]);
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Route {
  /** In fastify's words: `/v1/volumes/:name`. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<RestMethod, Endpoint>>>;
}

/** A right on objects of longhorn.io. */
export const longhornNeed = (verb: string, resource: string): Need => ({ verb, group: 'longhorn.io', resource });
