/** Counters of requests to a store. */
export interface StoreFigures {
  requests: number;
  /** Requests by method; those of GET with a `Range` are in `ranges` too. */
  methods: Record<string, number>;
  ranges: number;
  connections: number;
  /** Maximum number of open connections. */
  connectionsMax: number;
  /** Bytes of answers, heads included. */
  sentBytes: number;
  receivedBytes: number;
}

export const noFigures = (): StoreFigures => ({
  requests: 0,
  methods: {},
  ranges: 0,
  connections: 0,
  connectionsMax: 0,
  sentBytes: 0,
  receivedBytes: 0,
});
