import type { Need } from '../serving/rest-call.ts';

/** Decides who may do what. */
export interface Access {
  /**
   * Who asks, as the cluster knows them; empty where nobody is asked for a name.
   * `authorization`: the header of that name.
   * @throws REST_UNAUTHORIZED when it is not known who asks, REST_FORBIDDEN when one of the rights is missing, and whatever keeps the cluster from being asked
   */
  admit(authorization: string | undefined, needs: readonly Need[], signal: AbortSignal): Promise<string>;
}

/** Whoever reaches the port may do all: as Longhorn has it. */
export const openAccess: Access = { admit: async () => '' };
