/** What the host of a replica may tell besides `ReplicaFacts`. */
export interface KillFact {
  /**
   * The generation that the replica served when its process was killed, until it was compared with the others or rebuilt: it may lack
   * writes that were acknowledged and not flushed. It is told with the promise of the next generation.
   */
  readonly killedIn?: number | undefined;
}
