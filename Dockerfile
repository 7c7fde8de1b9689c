# The command line as an image: docker build -t leat .
# compose.yaml runs its entry points: server, worker, webhooks. Neither was run where it was written, see docs/from-nsj.md.

FROM eclipse-temurin:17-jdk AS build
WORKDIR /src
COPY . .
RUN ./mvnw -B -ntp -q -Dmaven.test.skip=true -pl cli,examples -am package \
    && mv examples/target/leat-examples-*.jar examples/target/examples.jar

FROM eclipse-temurin:17-jre
COPY --from=build /src/cli/target/lib /leat/lib
COPY --from=build /src/cli/target/classes /leat/classes
# Handlers to begin with. An image of yours begins with FROM leat, and adds its own: COPY app.jar /leat/
COPY --from=build /src/examples/target/examples.jar /leat/examples.jar
# Nothing is written but to the database.
USER 10001
# Java is the first process of the container, so that it hears of docker stop and lets running tasks end.
ENTRYPOINT ["java", "--enable-native-access=ALL-UNNAMED", "-cp", "/leat/classes:/leat/lib/*", "dev.leat.cli.Main"]
CMD ["--help"]
