/** Types for the part of Swagger UI that the reference uses. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerUi {
    getSystem(): { layoutActions: { show(path: string[], shown: boolean): void } }
  }

  export default function swaggerUi(options: Record<string, unknown>): SwaggerUi
}

declare module '*.css'
