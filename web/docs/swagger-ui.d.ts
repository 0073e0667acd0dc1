/** The part of Swagger UI that the page uses: the package has no types. */
declare module 'swagger-ui-dist/swagger-ui-bundle' {
  export default function SwaggerUi(options: Record<string, unknown>): void
}
