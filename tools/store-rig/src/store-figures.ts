/** What a store was asked for. */
export interface StoreFigures {
  requests: number;
  /** By method; those of GET with a `Range` are in `ranges` too. */
  methods: Record<string, number>;
  ranges: number;
  connections: number;
  /** Open at the same time, at most. */
  connectionsMax: number;
  /** Answers, heads included. */
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
