/**
 * Whether a row is a continuation of a fork: its beginning is another row's, so it says nothing of how often an agent passes.
 * @since 0.1.0
 * @category functions
 */
export const isFork = (row: object): boolean =>
  "lineage" in row && typeof row.lineage === "object" && row.lineage !== null && "forked_from" in row.lineage
